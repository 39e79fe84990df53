#version 450
#extension GL_GOOGLE_include_directive : require

// Solves the constraints of one colour batch. No two of them share a particle, so none waits for another; a barrier
// separates this batch from the next.

layout(local_size_x = 256) in;

#include "lib/layout.glsl"
#include "lib/constraint.glsl"
#include "lib/pbd_parameters.glsl"

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer Constraints {
    Constraint constraints[];
};
layout(std430, binding = 2) buffer Lambdas {
    float lambdas[]; // kg m, the multiplier of each constraint, accumulated over the iterations of a substep
};

layout(push_constant) uniform SolvePush {
    uint first;
    uint count;
    uint iteration;
} push;

void main() {
    if (gl_GlobalInvocationID.x >= push.count) return;
    uint index = push.first + gl_GlobalInvocationID.x;

    Constraint constraint = constraints[index];
    vec4 a = positions[constraint.index_a];
    vec4 b = positions[constraint.index_b];
    float lambda = push.iteration == 0 ? 0.0 : lambdas[index];

    vec3 difference = a.xyz - b.xyz;
    float distance = length(difference);
    float weight_sum = a.w + b.w;
    // Two particles in one place have no direction to be pushed in, and two pinned ones none to go.
    if (distance == 0.0 || weight_sum == 0.0) {
        lambdas[index] = lambda;
        return;
    }

    vec3 gradient = difference / distance;
    float error = distance - parameters.elongation * constraint.rest_length;
    float delta_lambda =
        constraint_delta_lambda(error, lambda, weight_sum, constraint.compliance, parameters.substep_dt);
    lambdas[index] = lambda + delta_lambda;
    positions[constraint.index_a] = vec4(a.xyz + a.w * delta_lambda * gradient, a.w);
    positions[constraint.index_b] = vec4(b.xyz - b.w * delta_lambda * gradient, b.w);
}
