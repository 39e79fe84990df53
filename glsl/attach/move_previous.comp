#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the positions a substep ago, which stay.

layout(std430, binding = 0) writeonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};

void place_particle(uint index, vec3 position, vec3 velocity, float inverse_mass) {
    positions[index] = vec4(position, inverse_mass);
}

#include "lib/attach.glsl"
