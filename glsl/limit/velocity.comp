#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Velocities from the change of positions, where the limits to strain have turned and slowed particles: they never make one
// faster, as energy would come from nowhere.

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
layout(std430, binding = 3) readonly buffer Ways {
    float ways[]; // m, how far each particle had come before the limits
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;
    vec3 way = positions[index].xyz - previous_positions[index].xyz;
    float distance = length(way);
    float most = ways[index];
    if (distance > most) way *= most / distance;
    velocities[index] = vec4(way / parameters.substep_dt, 0.0);
}
