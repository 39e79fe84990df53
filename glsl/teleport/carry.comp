#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

#include "lib/jump.glsl"

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

void carry(uint index, Jump jump) {
    positions[index].xyz = carried_point(jump, positions[index].xyz);
    velocities[index].xyz = carried_vector(jump, velocities[index].xyz);
}

#include "lib/teleport.glsl"
