#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_buffer.glsl"
#include "lib/particle_drawn.glsl"

// Places a corner of a triangle straight from the solver's particles. The triangle's own data are for the fragment shader, as a
// stage is only sure to get four buffers.

layout(std430, binding = 1) readonly buffer Normals {
    vec4 normals[];
};
layout(std430, binding = 3) readonly buffer Triangles {
    uint corners[]; // three of each triangle
};

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out float speed; // m/s
layout(location = 3) out vec3 shares; // of the triangle's corners
layout(location = 4) flat out uint first_corner;

void main() {
    uint corner = gl_VertexIndex;
    uint particle = corners[corner];
    world_position = particle_position(particle);
    world_normal = normals[particle].xyz;
    speed = particle_speed(particle);
    first_corner = corner - corner % 3;
    shares = vec3(equal(uvec3(corner % 3), uvec3(0, 1, 2)));
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
