#version 450
#extension GL_GOOGLE_include_directive : require

// Cuts hinges: one of whose triangles a side is cut loses its edge's length, and does nothing. The batches stay as they
// are, and free of races.

layout(local_size_x = 256) in;

#include "lib/layout.glsl"
#include "lib/blade.glsl"
#include "lib/element.glsl"

layout(std430, binding = 1) buffer Hinges {
    Hinge hinges[];
};

void main() {
    uint index = element_index();
    if (index >= push.count) return;
    uint a = hinges[index].particles[0];
    uint b = hinges[index].particles[1];
    uint c = hinges[index].particles[2];
    uint d = hinges[index].particles[3];
    if (is_cut(a, b) || is_cut(a, c) || is_cut(b, c) || is_cut(a, d) || is_cut(b, d)) {
        hinges[index].particles[1] = a;
    }
}
