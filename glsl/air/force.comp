#version 450
#extension GL_GOOGLE_include_directive : require

#include "lib/air_parameters.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
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

float particle_inverse_mass(uint index) {
    return positions[index].w;
}

#include "lib/air.glsl"
