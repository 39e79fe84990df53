#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/lighting.glsl"

// Ropes laid of three strands, or in the colour of their level of detail.

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in vec3 strand;
layout(location = 3) flat in uint level;
layout(location = 0) out vec4 color;

// Of levels 0 to 3, and of ropes.
const vec3 COLORS[5] = vec3[](vec3(0.03, 0.40, 0.12), vec3(0.75, 0.52, 0.02), vec3(0.70, 0.10, 0.03),
                              vec3(0.14, 0.12, 0.60), vec3(0.50, 0.36, 0.19));

void main() {
    vec3 normal = normalize(world_normal);
    float facing = max(dot(normal, view.light_direction.xyz), 0.0);
    // Strands wind once around in 6 radii; where they are thinner than a pixel, only their mean is left.
    float turn = 1.047 * strand.z;
    float grooves = 0.5 + 0.5 * cos(3.0 * (atan(strand.y, strand.x) - turn));
    float shown = 1.0 - smoothstep(0.6, 1.8, 3.0 * fwidth(turn));
    float shade = mix(0.8, 0.55 + 0.5 * grooves, shown);
    vec3 light = KEY_LIGHT * facing * lit_share(world_position) + ambient_light(normal);
    color = vec4(tone_map(COLORS[level] * shade * light), 1.0);
}
