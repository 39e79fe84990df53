#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/wave_vertex.glsl"

// Depth of the waving cloth as the light sees it.
void main() {
    gl_Position = view.light_from_world * vec4(position_of(share_of(gl_VertexIndex)), 1.0);
}
