#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_planes.glsl"
#include "lib/dot_vertex.glsl"

// Dots on the ends of ropes that are held, also on those behind others: of one colour where they stay, of another where
// something carries them.

layout(std430, binding = 1) readonly buffer HeldEnds {
    uvec2 held_ends[]; // index of the particle, and 1 where it is carried, else 0
};

void main() {
    uvec2 end = held_ends[gl_VertexIndex / 6];
    draw_dot(particle_position(end.x), gl_VertexIndex, 1.0, BEFORE_ALL, palette.pins[end.y].rgb);
}
