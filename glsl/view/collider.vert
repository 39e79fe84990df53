#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/collider_vertex.glsl"

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;

void main() {
    SurfaceVertex vertex = surface_vertex(gl_VertexIndex);
    world_position = vertex.position;
    world_normal = vertex.normal;
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
