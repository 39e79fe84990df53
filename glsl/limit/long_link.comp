#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Brings each particle back to within reach of another one on its way to what holds it: at level k, the one 2^k links up that way.
// From the highest level down these are the joints of a chain, the joints between those, and so on, so that a pull comes all along
// the chain in as many passes as there are levels. Each particle gives way to the one above it, as nothing below can hold it.
// Source of the idea, with masses and interpolation where this has ways: Müller 2008, "Hierarchical Position Based Dynamics".

layout(local_size_x = 256) in;

#include "lib/layout.glsl"

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) writeonly buffer OtherPositions {
    vec4 other_positions[];
};
layout(std430, binding = 2) readonly buffer LongLinks {
    LongRange long_links[]; // level after level, one for each particle
};
layout(std430, binding = 6) readonly buffer Rounds {
    uint rounds[];
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"

layout(push_constant) uniform LongLinkPush {
    float most;
    uint level;
    uint round;
} push;

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;
    if (push.round > 0 && rounds[push.round - 1] == 0) return;

    vec4 particle = positions[index];
    LongRange link = long_links[push.level * parameters.particle_count + index];
    if (particle.w > 0.0 && link.anchor != index) {
        vec3 above = positions[link.anchor].xyz;
        vec3 difference = particle.xyz - above;
        float distance = length(difference);
        float most = push.most * parameters.elongation * link.distance;
        if (distance > most) particle.xyz = above + (most / distance) * difference;
    }
    other_positions[index] = particle;
}
