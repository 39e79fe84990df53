#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the positions a substep ago.

#include "lib/air_parameters.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m
};
layout(std430, binding = 1) readonly buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

vec3 particle_position(uint index) {
    return positions[index].xyz;
}

vec3 particle_velocity(uint index) {
    return (positions[index].xyz - previous_positions[index].xyz) / air.substep_dt;
}

float particle_inverse_mass(uint index) {
    return 1.0 / air.particle_mass;
}

#include "lib/air.glsl"
