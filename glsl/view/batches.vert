#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_buffer.glsl"
#include "lib/layout.glsl"
#include "lib/line_vertex.glsl"

// The constraints of one batch, as lines in its colour. Later ones lie over earlier ones where these are parallel, but those
// against bending below all others, and wider: on a grid they would hide what resists stretching.

layout(std430, binding = 1) readonly buffer Constraints {
    Constraint constraints[];
};

layout(push_constant) uniform BatchViewPush {
    uint first; // index of its first constraint
    uint batch;
    uint resists_bending;
} push;

void main() {
    Constraint constraint = constraints[push.first + gl_VertexIndex / 6];
    vec3 color = palette.batches[push.batch % 24].rgb;
    bool is_wide = push.resists_bending != 0;
    float width = (is_wide ? 3.0 : 1.0) * LINE_WIDTH;
    float share = (is_wide ? 0.5 : 1.0) * LIFT + 1e-4 * float(push.batch % 24);
    draw_line(constraint.index_a, constraint.index_b, gl_VertexIndex, width, share, color);
}
