#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/solid_vertex.glsl"

// Depth of a mesh that is a collider as the light sees it.
void main() {
    gl_Position = view.light_from_world * vec4(solid_position(gl_VertexIndex), 1.0);
}
