#version 450
#extension GL_GOOGLE_include_directive : require

// Removes the triangles that a blade goes through: their corners become one, and they have no area.

layout(local_size_x = 256) in;

#include "lib/blade.glsl"
#include "lib/element.glsl"

layout(std430, binding = 1) buffer Triangles {
    uint corners[];
};

void main() {
    uint index = element_index();
    if (index >= push.count) return;
    uint first = 3 * index;
    uint a = corners[first];
    uint b = corners[first + 1];
    uint c = corners[first + 2];
    if (is_cut(a, b) || is_cut(b, c) || is_cut(c, a)) {
        corners[first + 1] = a;
        corners[first + 2] = a;
    }
}
