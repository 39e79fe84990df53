#version 450
#extension GL_GOOGLE_include_directive : require

// Moves particles out of colliders again that the limits have pulled into them, without friction: they had that in pbd/collide.

layout(local_size_x = 256) in;

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer PreviousPositions {
    vec4 previous_positions[];
};
layout(std430, binding = 5) readonly buffer Rounds {
    uint rounds[]; // whether each round of limit/strain has left work
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"
#include "lib/collide.glsl"

layout(push_constant) uniform LimitCollidePush {
    float start; // share of the step, 0 to 1
    float end;
    uint collider_count;
    uint round;
} push;

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;
    if (push.round > 0 && rounds[push.round - 1] == 0) return;
    vec4 particle = positions[index];
    if (particle.w == 0.0) return;
    vec3 previous = previous_positions[index].xyz;
    for (uint i = 0; i < push.collider_count; ++i) {
        Collider collider = colliders[i];
        collider.friction = 0.0;
        particle.xyz = collide_one(collider, push.start, push.end, previous, particle.xyz).position;
    }
    positions[index] = particle;
}
