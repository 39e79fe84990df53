#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/solid_vertex.glsl"

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;

void main() {
    world_position = solid_position(gl_VertexIndex);
    world_normal = solid_normal(gl_VertexIndex);
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
