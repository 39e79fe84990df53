#version 450
#extension GL_GOOGLE_include_directive : require

layout(std430, binding = 0) writeonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) writeonly buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

void place_particle(uint index, vec3 position, vec3 velocity, float inverse_mass) {
    positions[index] = vec4(position, inverse_mass);
    velocities[index] = vec4(velocity, 0.0);
}

#include "lib/attach.glsl"
