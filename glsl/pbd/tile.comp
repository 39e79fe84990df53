#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#pragma no_contraction

#include "lib/tile_memory.glsl"
#include "lib/tile_shared.glsl"
#include "lib/tile.glsl"
