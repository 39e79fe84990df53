#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Brings each particle back to where the cloth between it and what holds it reaches, after the constraints: they carry the pull
// of what hangs far below only neighbour by neighbour, and leave it stretched. Source: Kim, Chentanez, Müller 2012, "Long Range
// Attachments".

layout(local_size_x = 256) in;

#include "lib/layout.glsl"

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer PreviousPositions {
    vec4 previous_positions[];
};
layout(std430, binding = 2) readonly buffer LongRanges {
    LongRange long_ranges[];
};
layout(std430, binding = 3) writeonly buffer Ways {
    float ways[]; // m, how far each particle has come in this substep
};
layout(std430, binding = 5) writeonly buffer Rounds {
    uint rounds[]; // whether limit/strain has left work
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"

layout(push_constant) uniform LongRangePush {
    float most;
    uint round_count;
} push;

void main() {
    uint index = element_index();
    if (index < push.round_count) rounds[index] = 0;
    if (index >= parameters.particle_count) return;

    vec4 particle = positions[index];
    LongRange range = long_ranges[index];
    vec4 anchor = positions[range.anchor];
    // Nothing moves an anchor here while it is held; one that has been let go holds nothing.
    if (particle.w > 0.0 && anchor.w == 0.0) {
        vec3 difference = particle.xyz - anchor.xyz;
        float distance = length(difference);
        float most = push.most * parameters.elongation * range.distance;
        if (distance > most) {
            particle.xyz = anchor.xyz + (most / distance) * difference;
            positions[index] = particle;
        }
    }
    ways[index] = length(particle.xyz - previous_positions[index].xyz);
}
