#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// One substep of mass-spring Verlet on buffers: two take turns, as the next position of a node takes the place of the one
// before, which nobody else reads. A workgroup has whole rows of 512 bytes.

layout(local_size_x = 32, local_size_y = 8) in;
layout(constant_id = 0) const bool HAS_COLLIDERS = true;
layout(constant_id = 1) const bool HAS_FORCES = true;

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg; row by row
};
// The positions a substep before those, and in their place the positions a substep after.
layout(std430, binding = 1) buffer PreviousPositions {
    vec4 previous_positions[];
};

#include "lib/verlet.glsl"
#include "lib/forces.glsl"
#include "lib/verlet_push.glsl"

vec3 neighbour_position(ivec2 coord, int index, ivec2 offset, bool exists) {
    return positions[exists ? index + offset.y * parameters.grid_size.x + offset.x : index].xyz;
}

void main() {
    ivec2 coord = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(coord, parameters.grid_size))) return;

    int index = coord.y * parameters.grid_size.x + coord.x;
    vec4 current = positions[index];
    if (current.w == 0.0) {
        previous_positions[index] = current;
        return;
    }

    vec3 external_force = HAS_FORCES ? forces[index].xyz : vec3(0.0);
    vec3 previous = previous_positions[index].xyz;
    vec3 next = next_position(coord, index, current.xyz, previous, external_force, pushed_substep());
    previous_positions[index] = vec4(next, current.w);
}
