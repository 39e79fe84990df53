#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/watch_push.glsl"
#include "lib/particle_buffer.glsl"

// The velocity is the way from the positions a substep ago.

layout(std430, binding = 1) readonly buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

vec3 particle_velocity(uint index) {
    return (positions[index].xyz - previous_positions[index].xyz) / push.substep_dt;
}

#include "lib/watch.glsl"
