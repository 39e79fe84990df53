#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/cloth_fragment.glsl"

// A cloth that the pattern covers as a sheet lies at rest: upright, or flat.

layout(location = 3) in vec3 rest_position;

vec3 rest_place() {
    return rest_position;
}

vec2 pattern_place() {
    return vec2(rest_position.x / view.cloth_size.x + 0.5, (rest_position.z - rest_position.y) / view.cloth_size.y);
}
