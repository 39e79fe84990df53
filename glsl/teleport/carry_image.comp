#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the image before, which is carried as well.

#include "lib/jump.glsl"

layout(rgba32f, binding = 0) uniform image2D u_CurrPos; // w: 1 where pinned
layout(rgba32f, binding = 1) uniform image2D u_PrevPos;

void carry(uint index, Jump jump) {
    int columns = imageSize(u_CurrPos).x;
    ivec2 coord = ivec2(int(index) % columns, int(index) / columns);
    vec4 current = imageLoad(u_CurrPos, coord);
    imageStore(u_CurrPos, coord, vec4(carried_point(jump, current.xyz), current.w));
    vec4 previous = imageLoad(u_PrevPos, coord);
    imageStore(u_PrevPos, coord, vec4(carried_point(jump, previous.xyz), previous.w));
}

#include "lib/teleport.glsl"
