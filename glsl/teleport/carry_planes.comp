#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from where a particle was a substep ago, which is carried as well.

#include "lib/jump.glsl"

// Planes of x, y, z and previous x, y, z, one after the other, and two more.
layout(std430, binding = 0) buffer Planes {
    float planes[];
};

// Carries what lies in three planes from the `first` on.
void carry_in(uint first, uint index, Jump jump) {
    uint size = push.particle_count;
    uint place = first * size + index;
    vec3 point = carried_point(jump, vec3(planes[place], planes[place + size], planes[place + 2 * size]));
    planes[place] = point.x;
    planes[place + size] = point.y;
    planes[place + 2 * size] = point.z;
}

void carry(uint index, Jump jump) {
    carry_in(0, index, jump);
    carry_in(3, index, jump);
}

#include "lib/teleport.glsl"
