#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/collider_vertex.glsl"

// Depth of the colliders as the light sees them.
void main() {
    gl_Position = view.light_from_world * vec4(surface_vertex(gl_VertexIndex).position, 1.0);
}
