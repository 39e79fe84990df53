#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_planes.glsl"
#include "lib/dot_vertex.glsl"

// Dots on the particles of ropes that are held, by anchors or by hands, also on those behind others: of one colour where they
// stay, of another where something carries them.

layout(std430, binding = 1) readonly buffer HeldEnds {
    // Of each particle that starts as a held end: twice its place among those, the longest held first, and 1 more where it is
    // carried. Of all others, beyond any place.
    uint held_ends[];
};

layout(push_constant) uniform HeldEndsPush {
    uint held_count; // of those ends, still held
} push;

void main() {
    uint particle = gl_VertexIndex / 6;
    gl_Position = NOWHERE;
    float hand = hand_on(particle);
    uint end = held_ends[particle];
    bool is_anchored = hand == 0.0 && end / 2 < push.held_count;
    if (hand <= 0.0 && !is_anchored) return;
    bool is_carried = is_anchored && end % 2 == 1;
    draw_dot(particle_position(particle), gl_VertexIndex, 1.0, BEFORE_ALL, palette.pins[is_carried ? 1 : 0].rgb);
}
