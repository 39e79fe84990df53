#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/rope_vertex.glsl"

// Depth of the ropes as the light sees them.
void main() {
    vec3 position = particle_position(gl_VertexIndex / SIDES) + push.radius * outward(gl_VertexIndex);
    gl_Position = view.light_from_world * vec4(position, 1.0);
}
