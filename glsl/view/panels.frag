#version 450

// Panels multiply colours as 8-bit sRGB has them, and blend them as light.

layout(std430, binding = 1) readonly buffer Clips { vec4 clips[]; }; // left, top, right and bottom, pixels
layout(binding = 2) uniform sampler2D u_Texture;

layout(location = 0) in vec4 color;
layout(location = 1) in vec2 place;
layout(location = 2) flat in uint clip;
layout(location = 0) out vec4 light;

// IEC 61966-2-1.
vec3 linear(vec3 srgb) {
    return mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), greaterThan(srgb, vec3(0.04045)));
}

void main() {
    vec4 rectangle = clips[clip];
    if (any(lessThan(gl_FragCoord.xy, rectangle.xy)) || any(greaterThanEqual(gl_FragCoord.xy, rectangle.zw))) discard;
    vec4 shown = color * texture(u_Texture, place);
    // Colours of no alpha add light and hide nothing.
    float alpha = shown.a > 0.0 ? shown.a : 1.0;
    light = vec4(linear(shown.rgb / alpha) * alpha, shown.a);
}
