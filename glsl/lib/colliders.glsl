// The colliders of a step, and where each is during it.

#include "lib/pose.glsl"

const uint COLLIDER_SPHERE = 0;
const uint COLLIDER_CAPSULE = 1;
const uint COLLIDER_PLANE = 2;
const uint COLLIDER_BOX = 3;
const uint COLLIDER_HEIGHT_FIELD = 4;
const uint COLLIDER_MESH = 5;

const uint MOST_COLLIDERS = 512;

struct Collider {
    vec4 size; // m, by kind: see src/layout/external.rs
    uint kind;
    float friction;
    uint first_sample; // of a height field or a mesh
    uint grid_layers;  // of a mesh: nodes along z
    uvec2 grid_size;   // of a height field: columns and rows; of a mesh: nodes along x and y
    uint padding[2];
    vec4 grid_origin;  // of a mesh: xyz: m, the node of least coordinates; w: m, side of a cell
    vec4 start_position; // xyz: m, at the start of the step
    vec4 start_rotation; // unit quaternion xyzw
    vec4 end_position;
    vec4 end_rotation;
};

// One buffer for both, since a shader is only sure to get four.
layout(std430, binding = 6) readonly buffer Colliders {
    Collider colliders[MOST_COLLIDERS];
    float samples[]; // m, heights of height fields and distances of meshes, one after another, row by row
};

// Where a collider is at a share of the step, 0 to 1.
vec3 position_at(Collider collider, float share) {
    return mix(collider.start_position.xyz, collider.end_position.xyz, share);
}

vec4 rotation_at(Collider collider, float share) {
    return rotation_between(collider.start_rotation, collider.end_rotation, share);
}
