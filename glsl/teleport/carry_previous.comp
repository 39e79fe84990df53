#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the positions a substep ago, which are carried as well.

#include "lib/jump.glsl"

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

void carry(uint index, Jump jump) {
    positions[index].xyz = carried_point(jump, positions[index].xyz);
    previous_positions[index].xyz = carried_point(jump, previous_positions[index].xyz);
}

#include "lib/teleport.glsl"
