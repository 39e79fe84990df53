#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// One substep of mass-spring Verlet on images, after document 000: three images take turns as the positions before, now
// and next, and the w of each texel says whether its particle is pinned.

layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const bool HAS_COLLIDERS = true;
layout(constant_id = 1) const bool HAS_FORCES = true;

layout(rgba32f, binding = 0) readonly uniform image2D u_PrevPos;
layout(rgba32f, binding = 1) readonly uniform image2D u_CurrPos;
layout(rgba32f, binding = 2) writeonly uniform image2D u_NextPos;

#include "lib/verlet.glsl"
#include "lib/forces.glsl"
#include "lib/verlet_push.glsl"

vec3 neighbour_position(ivec2 coord, int index, ivec2 offset, bool exists) {
    return imageLoad(u_CurrPos, exists ? coord + offset : coord).xyz;
}

void main() {
    ivec2 coord = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(coord, parameters.grid_size))) return;

    vec4 current = imageLoad(u_CurrPos, coord);
    if (current.w > 0.5) {
        imageStore(u_NextPos, coord, current);
        return;
    }

    int index = coord.y * parameters.grid_size.x + coord.x;
    vec3 external_force = HAS_FORCES ? forces[index].xyz : vec3(0.0);
    vec3 previous = imageLoad(u_PrevPos, coord).xyz;
    vec3 next = next_position(coord, index, current.xyz, previous, external_force, pushed_substep());
    imageStore(u_NextPos, coord, vec4(next, 0.0));
}
