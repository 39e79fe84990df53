// The colliders of a step, and where each is during it.

#include "lib/pose.glsl"

const uint COLLIDER_SPHERE = 0;
const uint COLLIDER_CAPSULE = 1;
const uint COLLIDER_PLANE = 2;
const uint COLLIDER_BOX = 3;
const uint COLLIDER_HEIGHT_FIELD = 4;

const uint MOST_COLLIDERS = 585;

struct Collider {
    vec4 size; // m, by kind: see src/layout/external.rs
    uint kind;
    float friction;
    uvec2 grid_size; // of a height field: columns and rows
    uint first_height;
    uint padding[3];
    vec4 start_position; // xyz: m, at the start of the step
    vec4 start_rotation; // unit quaternion xyzw
    vec4 end_position;
    vec4 end_rotation;
};

// One buffer for both, since a shader is only sure to get four.
layout(std430, binding = 6) readonly buffer Colliders {
    Collider colliders[MOST_COLLIDERS];
    float heights[]; // m, of all height fields one after another, row by row
};

// Where a collider is at a share of the step, 0 to 1.
vec3 position_at(Collider collider, float share) {
    return mix(collider.start_position.xyz, collider.end_position.xyz, share);
}

vec4 rotation_at(Collider collider, float share) {
    return rotation_between(collider.start_rotation, collider.end_rotation, share);
}
