#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma no_contraction

#include "lib/tile_memory.glsl"
#include "lib/tile_shuffle.glsl"
#include "lib/tile.glsl"
