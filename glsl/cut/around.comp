#version 450
#extension GL_GOOGLE_include_directive : require

// Removes the same triangles from the lists around particles.

layout(local_size_x = 256) in;

#include "lib/blade.glsl"
#include "lib/element.glsl"

// The triangles around particle i: the other two corners of each, in order, from entries[entries[i]] up to
// entries[entries[i + 1]].
layout(std430, binding = 1) buffer ParticleTriangles {
    uint entries[];
};

void main() {
    uint index = element_index();
    if (index >= push.count) return;
    for (uint i = entries[index]; i < entries[index + 1]; i += 2) {
        uint next = entries[i];
        uint last = entries[i + 1];
        if (is_cut(index, next) || is_cut(next, last) || is_cut(last, index)) {
            entries[i] = index;
            entries[i + 1] = index;
        }
    }
}
