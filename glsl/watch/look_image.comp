#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/watch_push.glsl"
#include "lib/particle_image.glsl"

// The velocity is the way from the image before.

layout(rgba32f, binding = 1) readonly uniform image2D u_PrevPos;

vec3 particle_velocity(uint index) {
    uint columns = uint(imageSize(u_PrevPos).x);
    vec3 previous = imageLoad(u_PrevPos, ivec2(index % columns, index / columns)).xyz;
    return (current_position(index) - previous) / push.substep_dt;
}

#include "lib/watch.glsl"
