#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_image.glsl"
#include "lib/particle_drawn.glsl"

// Depth of the cloth as the light sees it.
void main() {
    gl_Position = view.light_from_world * vec4(particle_position(gl_VertexIndex), 1.0);
}
