#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the image before.

#include "lib/air_parameters.glsl"

layout(rgba32f, binding = 0) readonly uniform image2D u_CurrPos;
layout(rgba32f, binding = 1) readonly uniform image2D u_PrevPos;

ivec2 coord_of(uint index) {
    int columns = imageSize(u_CurrPos).x;
    return ivec2(int(index) % columns, int(index) / columns);
}

vec3 particle_position(uint index) {
    return imageLoad(u_CurrPos, coord_of(index)).xyz;
}

vec3 particle_velocity(uint index) {
    return (imageLoad(u_CurrPos, coord_of(index)).xyz - imageLoad(u_PrevPos, coord_of(index)).xyz) / air.substep_dt;
}

float particle_inverse_mass(uint index) {
    return 1.0 / air.particle_mass;
}

#include "lib/air.glsl"
