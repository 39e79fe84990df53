// Normals of particles: each gathers the triangles around it. A cross product is as long as its triangle is large, so
// the sum weighs triangles by area.

#include "lib/particle_drawn.glsl"

layout(local_size_x = 256) in;

#include "lib/element.glsl"

layout(std430, binding = 1) writeonly buffer Normals {
    vec4 normals[]; // xyz: unit normal, or 0 where there is no triangle
};
// The triangles around particle i: the other two corners of each, in order, from entries[entries[i]] up to
// entries[entries[i + 1]]. One buffer for both, since a shader is only sure to get four.
layout(std430, binding = 3) readonly buffer ParticleTriangles {
    uint entries[];
};

layout(push_constant) uniform NormalsPush {
    uint particle_count;
} push;

void main() {
    uint index = element_index();
    if (index >= push.particle_count) return;
    vec3 position = particle_position(index);
    vec3 sum = vec3(0.0);
    for (uint i = entries[index]; i < entries[index + 1]; i += 2) {
        vec3 next = particle_position(entries[i]) - position;
        vec3 last = particle_position(entries[i + 1]) - position;
        sum += cross(next, last);
    }
    float area = length(sum);
    normals[index] = vec4(area > 0.0 ? sum / area : vec3(0.0), 0.0);
}
