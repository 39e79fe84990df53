// One key light with a shadow map, and light from the sky and the floor.

#include "lib/view_parameters.glsl"

layout(binding = 8) uniform sampler2DShadow u_ShadowMap;

// The share of the key light that reaches a point: nine comparisons, each of them averaged over four texels.
float lit_share(vec3 world_position) {
    vec4 light = view.light_from_world * vec4(world_position, 1.0);
    vec3 place = vec3(light.xy * 0.5 + 0.5, light.z);
    vec2 texel = 1.5 / vec2(textureSize(u_ShadowMap, 0));
    float sum = 0.0;
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            sum += texture(u_ShadowMap, vec3(place.xy + vec2(x, y) * texel, place.z));
        }
    }
    return sum / 9.0;
}

// Light from above is cool, from below warm as if thrown back by the floor.
vec3 ambient_light(vec3 normal) {
    return mix(vec3(0.20, 0.18, 0.16), vec3(0.36, 0.40, 0.46), normal.y * 0.5 + 0.5);
}

const vec3 KEY_LIGHT = vec3(1.90, 1.76, 1.54);

// Keeps bright colours from clipping. Source: Reinhard et al. 2002, eq. 4, with white at 2.5.
vec3 tone_map(vec3 color) {
    return color * (1.0 + color / 6.25) / (1.0 + color);
}
