#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Whole substeps of what hangs together, all iterations of one, or one iteration over what hangs together in some batches:
// each workgroup keeps the particles of a body in its shared
// memory and goes over the body's constraints and hinges batch by batch. What it finds is in the same bits as the plain path,
// pbd/predict, pbd/solve, pbd/bend and pbd/velocity: the batches have the same order, and the functions are the same.

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint MOST_PARTICLES = 1024; // of a body
layout(constant_id = 2) const bool IS_COMPLIANT = true;   // whether any constraint yields
layout(constant_id = 3) const bool HAS_HINGES = true;

#include "lib/layout.glsl"
#include "lib/constraint.glsl"
#include "lib/pbd_parameters.glsl"
#include "lib/hinge.glsl"
#include "lib/predict.glsl"
#include "lib/velocity.glsl"
#include "lib/fused_push.glsl"
#include "lib/flutter_phases.glsl"

struct PbdBody {
    uint first_particle;    // in the list of particles
    uint particle_count;
    uint first_batch;       // in the list of batches
    uint batch_count;       // of constraints
    uint hinge_batch_count; // of hinges, which follow those of constraints
    uint first_constraint;
    uint first_hinge;
    uint first_lambda;      // of its constraints, which those of its hinges follow
};
// The particles of constraints and hinges are counted within their body, two in a word, the first in the lower half.
struct BodyConstraint {
    uint particles;
    float rest_length; // m
};
struct BodyHinge {
    uint edge;
    uint corners;
    float rest_angle; // rad
    float compliance; // rad/(N m)
};

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) buffer PreviousPositions {
    vec4 previous_positions[];
};
layout(std430, binding = 2) buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};
layout(std430, binding = 3) readonly buffer Bodies {
    PbdBody bodies[];
};
layout(std430, binding = 5) readonly buffer BodyParticles {
    uint body_particles[]; // of each body, where they are among all particles
};
layout(std430, binding = 6) readonly buffer BodyBatches {
    uint batch_ends[]; // within the constraints, or the hinges, of a body
};
layout(std430, binding = 7) readonly buffer BodyConstraints {
    BodyConstraint constraints[];
};
layout(std430, binding = 8) readonly buffer BodyCompliances {
    float compliances[]; // m/N, of each constraint
};
layout(std430, binding = 10) readonly buffer BodyHinges {
    BodyHinge hinges[];
};
layout(std430, binding = 11) buffer BodyLambdas {
    float lambdas[]; // as pbd/solve and pbd/bend have them; the invocation that writes one reads it
};

shared vec4 particles[MOST_PARTICLES];

void solve(PbdBody body, uint index, bool is_first) {
    BodyConstraint constraint = constraints[body.first_constraint + index];
    uint index_a = constraint.particles & 0xffff;
    uint index_b = constraint.particles >> 16;
    vec4 a = particles[index_a];
    vec4 b = particles[index_b];
    // Of a rigid constraint lambda has no part in anything.
    float alpha = 0.0;
    float lambda = 0.0;
    if (IS_COMPLIANT) {
        alpha = scaled_compliance(compliances[body.first_constraint + index], parameters.substep_dt);
        if (!is_first) lambda = lambdas[body.first_lambda + index];
    }
    float rest_length = parameters.elongation * constraint.rest_length;
    vec3 correction =
        distance_correction(a.xyz - b.xyz, rest_length, distance_yield(a.w + b.w, alpha), alpha, lambda);
    if (IS_COMPLIANT && push.accumulates != 0) lambdas[body.first_lambda + index] = lambda;
    particles[index_a] = vec4(corrected(a.xyz, a.w, correction), a.w);
    particles[index_b] = vec4(corrected(b.xyz, -b.w, correction), b.w);
}

void bend_hinge(PbdBody body, uint index, uint lambda_index, bool is_first) {
    BodyHinge hinge = hinges[body.first_hinge + index];
    uint index_a = hinge.edge & 0xffff;
    uint index_b = hinge.edge >> 16;
    uint index_c = hinge.corners & 0xffff;
    uint index_d = hinge.corners >> 16;
    vec4 a = particles[index_a];
    vec4 b = particles[index_b];
    vec4 c = particles[index_c];
    vec4 d = particles[index_d];
    float lambda = is_first ? 0.0 : lambdas[lambda_index];
    bend(a, b, c, d, hinge.rest_angle, hinge.compliance, lambda);
    if (push.accumulates != 0) lambdas[lambda_index] = lambda;
    particles[index_a] = a;
    particles[index_b] = b;
    particles[index_c] = c;
    particles[index_d] = d;
}

// Goes over all constraints and hinges once.
void iterate(PbdBody body, bool is_first) {
    uint invocation = gl_LocalInvocationID.x;
    uint first = 0;
    for (uint batch = 0; batch < body.batch_count; ++batch) {
        uint end = batch_ends[body.first_batch + batch];
        for (uint index = first + invocation; index < end; index += gl_WorkGroupSize.x) solve(body, index, is_first);
        barrier();
        first = end;
    }
    if (!HAS_HINGES) return;
    uint first_lambda = body.first_lambda + first;
    first = 0;
    for (uint batch = 0; batch < body.hinge_batch_count; ++batch) {
        uint end = batch_ends[body.first_batch + body.batch_count + batch];
        for (uint index = first + invocation; index < end; index += gl_WorkGroupSize.x) {
            bend_hinge(body, index, first_lambda + index, is_first);
        }
        barrier();
        first = end;
    }
}

void predict(uint index, uint local, float flutter_phase) {
    vec4 particle = particles[local];
    if (push.finishes == 0) previous_positions[index] = particle;
    if (particle.w == 0.0) return;
    vec3 velocity = predicted_velocity(index, particle, velocities[index].xyz, flutter_phase);
    particles[local] = vec4(predicted_position(particle.xyz, velocity), particle.w);
}

void main() {
    PbdBody body = bodies[gl_WorkGroupID.x];
    uint invocation = gl_LocalInvocationID.x;
    for (uint local = invocation; local < body.particle_count; local += gl_WorkGroupSize.x) {
        particles[local] = positions[body_particles[body.first_particle + local]];
    }
    for (uint substep = 0; substep < push.substeps; ++substep) {
        if (push.predicts != 0) {
            float flutter_phase = flutter_phases[push.first_substep + substep];
            for (uint local = invocation; local < body.particle_count; local += gl_WorkGroupSize.x) {
                predict(body_particles[body.first_particle + local], local, flutter_phase);
            }
        }
        barrier();
        for (uint sweep = 0; sweep < push.sweeps; ++sweep) {
            iterate(body, push.first_sweep + sweep == 0 || push.accumulates == 0);
        }
        // In `positions` every particle is still where it was before the substep, unless another pass has predicted.
        for (uint local = invocation; local < body.particle_count; local += gl_WorkGroupSize.x) {
            uint index = body_particles[body.first_particle + local];
            vec4 particle = particles[local];
            if (push.finishes != 0) {
                vec3 before = push.predicts != 0 ? positions[index].xyz : previous_positions[index].xyz;
                velocities[index] = vec4(velocity_of(particle.xyz, before), 0.0);
            }
            positions[index] = particle;
        }
    }
}
