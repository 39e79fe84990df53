#version 450
#extension GL_GOOGLE_include_directive : require

// Solves the links of a ring of particles by turns, the even ones and the odd ones, in the shared memory of one workgroup: what
// a colour batch costs where a barrier of the workgroup, and no dispatch, separates it from the next.

layout(local_size_x = 256) in;

#include "lib/constraint.glsl"

const uint PARTICLES = 512;

layout(std430, binding = 0) buffer Ring {
    vec4 ring[]; // xyz: m, w: inverse mass, 1/kg
};

layout(push_constant) uniform PhasesPush {
    uint phases;
    float rest_length; // m
} push;

shared vec4 particles[PARTICLES];

void main() {
    uint lane = gl_LocalInvocationID.x;
    for (uint index = lane; index < PARTICLES; index += gl_WorkGroupSize.x) particles[index] = ring[index];
    barrier();
    for (uint phase = 0; phase < push.phases; phase++) {
        uint first = 2 * lane + phase % 2;
        uint second = (first + 1) % PARTICLES;
        vec4 a = particles[first];
        vec4 b = particles[second];
        vec3 difference = a.xyz - b.xyz;
        float distance = length(difference);
        vec3 gradient = difference / distance;
        float delta_lambda = constraint_delta_lambda(distance - push.rest_length, 0.0, a.w + b.w, 0.0, 1.0);
        particles[first].xyz = a.xyz + a.w * delta_lambda * gradient;
        particles[second].xyz = b.xyz - b.w * delta_lambda * gradient;
        barrier();
    }
    for (uint index = lane; index < PARTICLES; index += gl_WorkGroupSize.x) ring[index] = particles[index];
}
