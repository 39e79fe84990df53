#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the image before, which is what changes.

#include "lib/grip.glsl"

layout(rgba32f, binding = 0) readonly uniform image2D u_CurrPos; // w: 1 where pinned
layout(rgba32f, binding = 1) uniform image2D u_PrevPos;

ivec2 coord_of(uint index) {
    int columns = imageSize(u_CurrPos).x;
    return ivec2(int(index) % columns, int(index) / columns);
}

bool is_pinned(uint index) {
    return imageLoad(u_CurrPos, coord_of(index)).w > 0.5;
}

vec3 particle_position(uint index) {
    return imageLoad(u_CurrPos, coord_of(index)).xyz;
}

vec3 particle_velocity(uint index) {
    return (imageLoad(u_CurrPos, coord_of(index)).xyz - imageLoad(u_PrevPos, coord_of(index)).xyz) / push.substep_dt;
}

void change_velocity(uint index, vec3 change) {
    vec4 previous = imageLoad(u_PrevPos, coord_of(index));
    imageStore(u_PrevPos, coord_of(index), vec4(previous.xyz - push.substep_dt * change, previous.w));
}

#include "lib/hand.glsl"
