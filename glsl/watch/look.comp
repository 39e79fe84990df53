#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/watch_push.glsl"
#include "lib/particle_buffer.glsl"

layout(std430, binding = 1) readonly buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

vec3 particle_velocity(uint index) {
    return velocities[index].xyz;
}

#include "lib/watch.glsl"
