// Normals of particles: each gathers the triangles around it. A cross product is as long as its triangle is large, so
// the sum weighs triangles by area.

layout(local_size_x = 256) in;

layout(std430, binding = 1) writeonly buffer Normals {
    vec4 normals[]; // xyz: unit normal, or 0 where there is no triangle
};
layout(std430, binding = 2) readonly buffer Triangles {
    uint corners[]; // three a triangle
};
// The triangles around particle i are entries[entries[i]] up to entries[entries[i + 1]]. One buffer for both, since a
// shader is only sure to get four.
layout(std430, binding = 3) readonly buffer ParticleTriangles {
    uint entries[];
};

layout(push_constant) uniform NormalsPush {
    uint particle_count;
} push;

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= push.particle_count) return;
    vec3 sum = vec3(0.0);
    for (uint i = entries[index]; i < entries[index + 1]; ++i) {
        uint corner = 3 * entries[i];
        vec3 a = particle_position(corners[corner]);
        vec3 b = particle_position(corners[corner + 1]);
        vec3 c = particle_position(corners[corner + 2]);
        sum += cross(b - a, c - a);
    }
    float area = length(sum);
    normals[index] = vec4(area > 0.0 ? sum / area : vec3(0.0), 0.0);
}
