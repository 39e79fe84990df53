#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/watch_push.glsl"
#include "lib/particle_planes.glsl"

// The velocity is the way from the planes of the positions a substep ago.

vec3 particle_velocity(uint index) {
    uint size = planes.length() / PLANES;
    vec3 previous = vec3(planes[3 * size + index], planes[4 * size + index], planes[5 * size + index]);
    return (current_position(index) - previous) / push.substep_dt;
}

#include "lib/watch.glsl"
