#version 450
#extension GL_GOOGLE_include_directive : require

#include "lib/air_parameters.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m
};
layout(std430, binding = 1) readonly buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

vec3 particle_position(uint index) {
    return positions[index].xyz;
}

vec3 particle_velocity(uint index) {
    return velocities[index].xyz;
}

#include "lib/air.glsl"
