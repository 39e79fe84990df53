#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Velocities from the change of positions.

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer PreviousPositions {
    vec4 previous_positions[];
};
layout(std430, binding = 2) writeonly buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"
#include "lib/velocity.glsl"

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;
    velocities[index] = vec4(velocity_of(positions[index].xyz, previous_positions[index].xyz), 0.0);
}
