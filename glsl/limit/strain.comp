#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Shortens links that are too long, all at once: each particle moves by the mean of what its own links want, as if free particles
// weighed the same. So light cloth bears what is heavy, in as few iterations as if there were nothing heavy. The iterations are
// over-relaxed with weights of Chebyshev's polynomials. Sources: Provot 1995, "Deformation Constraints in a Mass-Spring Model to
// Describe Rigid Cloth Behavior"; Wang 2015, "A Chebyshev Semi-Iterative Approach for Accelerating Projective and Position-Based
// Dynamics", algorithm 1.

layout(local_size_x = 256) in;

#include "lib/layout.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
// Holds the places before the last iteration, and gets those after this one.
layout(std430, binding = 1) buffer OtherPositions {
    vec4 other_positions[];
};
layout(std430, binding = 2) readonly buffer Constraints {
    Constraint constraints[];
};
// The links at particle i are links[first_links[i]] up to first_links[i + 1], each the index of a constraint.
layout(std430, binding = 3) readonly buffer FirstLinks {
    uint first_links[];
};
layout(std430, binding = 5) readonly buffer Links {
    uint links[];
};
layout(std430, binding = 6) buffer Rounds {
    uint rounds[];
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"

layout(push_constant) uniform StrainLimitPush {
    float target;
    float most;
    float relaxation;
    uint round;
    uint looks;
} push;

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;
    // Rounds have an even number of iterations, so that one without work leaves the places where they are.
    if (push.round > 0 && rounds[push.round - 1] == 0) return;

    vec4 particle = positions[index];
    vec3 sum = vec3(0.0);
    float count = 0.0;
    bool is_too_long = false;
    for (uint i = first_links[index]; i < first_links[index + 1]; ++i) {
        Constraint constraint = constraints[links[i]];
        // Of one that has been cut both ends are one particle, which may be another one.
        uint other_index = constraint.index_a == index ? constraint.index_b : constraint.index_a;
        if (constraint.index_a == constraint.index_b) continue;
        vec4 other = positions[other_index];
        if (particle.w + other.w == 0.0) continue;
        vec3 difference = other.xyz - particle.xyz;
        float distance = length(difference);
        float rest_length = parameters.elongation * constraint.rest_length;
        is_too_long = is_too_long || distance > push.most * rest_length;
        float target = push.target * rest_length;
        if (distance > target) {
            float share = other.w == 0.0 ? 1.0 : 0.5;
            sum += (share * (distance - target) / distance) * difference;
            count += 1.0;
        }
    }
    if (push.looks != 0 && is_too_long) atomicOr(rounds[push.round], 1u);
    vec3 place = particle.xyz;
    if (particle.w > 0.0 && push.looks == 0) {
        if (count > 0.0) place += sum / count;
        if (push.relaxation != 1.0) {
            vec3 before = other_positions[index].xyz;
            place = before + push.relaxation * (place - before);
        }
    }
    other_positions[index] = vec4(place, particle.w);
}
