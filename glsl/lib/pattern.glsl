// What is printed on a cloth; after view_parameters.glsl.

const uint PATTERN_STRIPES = 1;
const uint PATTERN_CHECKER = 2;
const uint PATTERN_IMAGE = 3;

layout(binding = 9) uniform sampler2D u_Texture;

// 0 in even and 1 in odd units, and what lies between where a pixel has a part of both.
float alternating(float place) {
    float softness = fwidth(place) + 1e-4;
    return smoothstep(0.25 - softness, 0.25 + softness, abs(fract(0.5 * place + 0.25) - 0.5));
}

// The colour at a place of the pattern over that of the side. The second colour is darker on the back.
vec3 printed(vec2 place, vec3 side, bool is_front) {
    vec3 second = view.second_color.rgb * (is_front ? 1.0 : 0.75);
    switch (view.pattern) {
        case PATTERN_STRIPES:
            // Each a ninth of the cloth wide; the left edge is the middle of one in the second colour.
            return mix(side, second, alternating(9.0 * place.x - 0.5));
        case PATTERN_CHECKER:
            vec2 odd = vec2(alternating(view.squares * place.x), alternating(view.squares * place.y));
            return mix(side, second, odd.x + odd.y - 2.0 * odd.x * odd.y);
        case PATTERN_IMAGE:
            vec4 texel = texture(u_Texture, place);
            return mix(side, texel.rgb, texel.a);
        default: return side;
    }
}
