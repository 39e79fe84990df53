#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Solves the hinges of one batch, which share no particle.

layout(local_size_x = 256) in;

#include "lib/layout.glsl"
#include "lib/constraint.glsl"
#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"
#include "lib/hinge.glsl"

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer Hinges {
    Hinge hinges[];
};
layout(std430, binding = 2) buffer HingeLambdas {
    float hinge_lambdas[]; // N m s^2, the multiplier of each hinge, accumulated over the iterations of a substep
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

    Hinge hinge = hinges[index];
    vec4 a = positions[hinge.particles[0]];
    vec4 b = positions[hinge.particles[1]];
    vec4 c = positions[hinge.particles[2]];
    vec4 d = positions[hinge.particles[3]];
    float lambda = push.iteration == 0 ? 0.0 : hinge_lambdas[index];
    bend(a, b, c, d, hinge.rest_angle, hinge.compliance, lambda);
    hinge_lambdas[index] = lambda;
    positions[hinge.particles[0]] = a;
    positions[hinge.particles[1]] = b;
    positions[hinge.particles[2]] = c;
    positions[hinge.particles[3]] = d;
}
