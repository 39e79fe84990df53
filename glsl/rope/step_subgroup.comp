#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma no_contraction

// A whole step of ropes, as in rope/step, with a subgroup for each. A rope that is simulated in full and short enough is kept
// in registers, and needs no barrier. Others are kept in shared memory; then the workgroup must be one subgroup.

layout(local_size_x = 128, local_size_x_id = 0) in; // one or more subgroups, all of them full

#include "lib/rope.glsl"
#include "lib/rope_registers.glsl"
#include "lib/rope_shared.glsl"

void main() {
    uint index = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
    if (index >= ropes.length()) return;
    take_rope(index);
    uint earlier_level = uint(load(LEVEL_PLANE, 0));
    uint level = next_level(earlier_level);
    if (SHARED_PARTICLES > 1 && (level > 0 || last >= 2 * gl_SubgroupSize)) {
        step_in_shared_memory(earlier_level, level);
    } else {
        step_in_registers(earlier_level);
    }
}
