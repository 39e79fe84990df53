#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the positions a substep ago, which is what changes.

#include "lib/grip.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

bool is_pinned(uint index) {
    return positions[index].w == 0.0;
}

vec3 particle_position(uint index) {
    return positions[index].xyz;
}

vec3 particle_velocity(uint index) {
    return (positions[index].xyz - previous_positions[index].xyz) / push.substep_dt;
}

void change_velocity(uint index, vec3 change) {
    previous_positions[index].xyz -= push.substep_dt * change;
}

#include "lib/hand.glsl"
