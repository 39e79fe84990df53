#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Solves all constraints at once, each from the same positions, and keeps what each wants for jacobi_apply.
// Each solves as if its particles were split into as many equal parts as they have constraints, and one part were its
// own: the inverse mass of a part is so many times larger. Source: Tonge, Benevolenski, Voroshilov 2012, "Mass Splitting
// for Jitter-Free Parallel Rigid Body Simulation".

layout(local_size_x = 256) in;

#include "lib/layout.glsl"
#include "lib/constraint.glsl"
#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer Constraints {
    Constraint constraints[];
};
layout(std430, binding = 2) buffer Lambdas {
    float lambdas[]; // kg m, the multiplier of each constraint, accumulated over the iterations of a substep
};
layout(std430, binding = 3) readonly buffer FirstEnds {
    uint first_ends[]; // particle i has first_ends[i + 1] - first_ends[i] constraints
};
layout(std430, binding = 5) writeonly buffer Corrections {
    vec4 corrections[]; // xyz: change of lambda along the gradient at the first particle, kg m
};

layout(push_constant) uniform JacobiPush {
    uint constraint_count;
    uint iteration;
} push;

float part_weight(uint index, float weight) {
    return weight * float(first_ends[index + 1] - first_ends[index]);
}

void main() {
    uint index = element_index();
    if (index >= push.constraint_count) return;

    Constraint constraint = constraints[index];
    vec4 a = positions[constraint.index_a];
    vec4 b = positions[constraint.index_b];
    float lambda = push.iteration == 0 ? 0.0 : lambdas[index];

    float alpha = scaled_compliance(constraint.compliance, parameters.substep_dt);
    float rest_length = parameters.elongation * constraint.rest_length;
    float weight_sum = part_weight(constraint.index_a, a.w) + part_weight(constraint.index_b, b.w);
    vec3 correction =
        distance_correction(a.xyz - b.xyz, rest_length, distance_yield(weight_sum, alpha), alpha, lambda);
    lambdas[index] = lambda;
    corrections[index] = vec4(correction, 0.0);
}
