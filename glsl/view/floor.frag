#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/lighting.glsl"

// A floor that catches the cloth's shadow and fades into the background.

layout(location = 0) in vec3 world_position;
layout(location = 0) out vec4 color;

void main() {
    float share = lit_share(world_position);
    float shade = mix(0.62, 1.0, share);
    float distance = length(world_position - view.floor_disc.xyz) / view.floor_disc.w;
    float presence = 1.0 - smoothstep(0.35, 1.0, distance);
    // From below, the floor would hide the cloth.
    if (view.camera_position.y < view.floor_disc.y) presence = 0.0;
    color = vec4(view.background.rgb * shade * 1.06, presence);
}
