// Dots on the particles of a cloth that are held, also on those behind it: of one colour where they stay, of another where something carries them.

#include "lib/dot_vertex.glsl"

layout(std430, binding = 1) readonly buffer Carried {
    uint carried[]; // a bit a particle, the lowest first
};

void main() {
    uint particle = gl_VertexIndex / 6;
    gl_Position = NOWHERE;
    if (!current_held(particle)) return;
    bool is_carried = (carried[particle / 32] >> (particle % 32) & 1) != 0;
    draw_dot(particle_position(particle), gl_VertexIndex, 1.0, BEFORE_ALL, palette.pins[is_carried ? 1 : 0].rgb);
}
