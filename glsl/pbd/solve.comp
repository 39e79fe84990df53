#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Solves the constraints of one colour batch. No two of them share a particle, so none waits for another; a barrier
// separates this batch from the next.

layout(local_size_x = 256) in;

#include "lib/layout.glsl"
#include "lib/constraint.glsl"
#include "lib/element.glsl"
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
    uint element = element_index();
    if (element >= push.count) return;
    uint index = push.first + element;

    Constraint constraint = constraints[index];
    vec4 a = positions[constraint.index_a];
    vec4 b = positions[constraint.index_b];
    float lambda = push.iteration == 0 ? 0.0 : lambdas[index];

    float alpha = scaled_compliance(constraint.compliance, parameters.substep_dt);
    float rest_length = parameters.elongation * constraint.rest_length;
    vec3 correction =
        distance_correction(a.xyz - b.xyz, rest_length, distance_yield(a.w + b.w, alpha), alpha, lambda);
    lambdas[index] = lambda;
    positions[constraint.index_a] = vec4(corrected(a.xyz, a.w, correction), a.w);
    positions[constraint.index_b] = vec4(corrected(b.xyz, -b.w, correction), b.w);
}
