#version 450
#extension GL_GOOGLE_include_directive : require

#include "lib/grip.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

bool is_pinned(uint index) {
    return positions[index].w == 0.0;
}

vec3 particle_position(uint index) {
    return positions[index].xyz;
}

vec3 particle_velocity(uint index) {
    return velocities[index].xyz;
}

void change_velocity(uint index, vec3 change) {
    velocities[index] = vec4(velocities[index].xyz + change, 0.0);
}

#include "lib/hand.glsl"
