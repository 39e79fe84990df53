// Places a vertex of the cloth straight from the solver's particles.

#include "lib/particle_drawn.glsl"

layout(std430, binding = 1) readonly buffer Normals {
    vec4 normals[];
};
layout(std430, binding = 2) readonly buffer RestPositions {
    vec4 rest_positions[]; // xyz: m
};

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out float speed; // m/s
layout(location = 3) out vec3 rest_position;

void main() {
    world_position = particle_position(gl_VertexIndex);
    world_normal = normals[gl_VertexIndex].xyz;
    rest_position = rest_positions[gl_VertexIndex].xyz;
    speed = particle_speed(gl_VertexIndex);
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
