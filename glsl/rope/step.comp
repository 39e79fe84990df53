#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// A whole step of ropes, after document 004: each workgroup keeps one rope in its shared memory and takes it through all
// substeps, each of which is Verlet's formula, then iterations over the links, then collision.

layout(local_size_x = 64, local_size_x_id = 0) in;

#include "lib/rope.glsl"
#include "lib/rope_shared.glsl"

void main() {
    take_rope(gl_WorkGroupID.x);
    uint level = uint(load(LEVEL_PLANE, 0));
    step_in_shared_memory(level, next_level(level));
}
