#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Integrates the external accelerations and predicts positions.

layout(local_size_x = 256) in;

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) writeonly buffer PreviousPositions {
    vec4 previous_positions[];
};
layout(std430, binding = 2) buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"
#include "lib/predict.glsl"
#include "lib/flutter_phases.glsl"

layout(push_constant) uniform PredictPush {
    uint substep; // number of it within its step
} push;

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;

    vec4 particle = positions[index];
    previous_positions[index] = particle;
    if (particle.w == 0.0) {
        velocities[index] = vec4(0.0);
        return;
    }

    vec3 velocity = predicted_velocity(index, particle, velocities[index].xyz, flutter_phases[push.substep]);
    velocities[index] = vec4(velocity, 0.0);
    positions[index] = vec4(predicted_position(particle.xyz, velocity), particle.w);
}
