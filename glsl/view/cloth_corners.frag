#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/cloth_fragment.glsl"

// A cloth whose triangles have places in the pattern at their corners.

layout(std430, binding = 2) readonly buffer RestPositions {
    vec4 rest_positions[]; // xyz: m
};
layout(std430, binding = 3) readonly buffer Triangles {
    uint corners[]; // three of each triangle
};
layout(std430, binding = 4) readonly buffer CornerPlaces {
    vec2 corner_places[]; // from 0 to 1 across and down the pattern, of each corner
};

layout(location = 3) in vec3 shares; // of the triangle's corners
layout(location = 4) flat in uint first_corner;

vec3 rest_place() {
    return shares.x * rest_positions[corners[first_corner]].xyz + shares.y * rest_positions[corners[first_corner + 1]].xyz
        + shares.z * rest_positions[corners[first_corner + 2]].xyz;
}

vec2 pattern_place() {
    return shares.x * corner_places[first_corner] + shares.y * corner_places[first_corner + 1]
        + shares.z * corner_places[first_corner + 2];
}
