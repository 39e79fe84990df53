#version 450
#extension GL_GOOGLE_include_directive : require

// Cuts constraints: one that is cut joins a particle to itself, has no length, and does nothing. The batches stay as they
// are, and free of races.

layout(local_size_x = 256) in;

#include "lib/layout.glsl"
#include "lib/blade.glsl"
#include "lib/element.glsl"

layout(std430, binding = 1) buffer Constraints {
    Constraint constraints[];
};

void main() {
    uint index = element_index();
    if (index >= push.count) return;
    if (is_cut(constraints[index].index_a, constraints[index].index_b)) {
        constraints[index].index_b = constraints[index].index_a;
    }
}
