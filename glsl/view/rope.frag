#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/lighting.glsl"
#include "lib/colors.glsl"

// Ropes laid of three strands, or in the colour of what is shown of them.

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in vec3 strand;
layout(location = 3) flat in uint level;
layout(location = 4) in float share;
layout(location = 0) out vec4 color;

const vec3 ROPE_COLOR = vec3(0.50, 0.36, 0.19);

vec3 albedo() {
    switch (view.shown) {
        case SHOWN_LEVELS: return palette.levels[level].rgb;
        case SHOWN_STRETCH:
        case SHOWN_VELOCITY: return scale_color(share);
        case SHOWN_CONTACTS: return vec3(0.06);
        default: return ROPE_COLOR;
    }
}

void main() {
    vec3 normal = normalize(world_normal);
    float facing = max(dot(normal, view.light_direction.xyz), 0.0);
    // Strands wind once around in 6 radii; where they are thinner than a pixel, only their mean is left.
    float turn = 1.047 * strand.z;
    float grooves = 0.5 + 0.5 * cos(3.0 * (atan(strand.y, strand.x) - turn));
    float shown = 1.0 - smoothstep(0.6, 1.8, 3.0 * fwidth(turn));
    float shade = mix(0.8, 0.55 + 0.5 * grooves, shown);
    if (view.shown == SHOWN_STRETCH || view.shown == SHOWN_VELOCITY) {
        color = vec4(albedo() * (0.6 + 0.4 * facing), 1.0);
        return;
    }
    vec3 light = KEY_LIGHT * facing * lit_share(world_position) + ambient_light(normal);
    color = vec4(tone_map(albedo() * shade * light), 1.0);
}
