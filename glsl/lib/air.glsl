// The force of moving air on the triangles of a cloth, gathered by each particle. A file that includes this has
// particle_position(index), particle_velocity(index) and particle_inverse_mass(index).

layout(local_size_x = 64) in;

#include "lib/element.glsl"

// The triangles around particle i: the other two corners of each, in order, from entries[entries[i]] up to
// entries[entries[i + 1]].
layout(std430, binding = 2) readonly buffer ParticleTriangles {
    uint entries[];
};
layout(std430, binding = 3) writeonly buffer Forces {
    vec4 forces[]; // xyz: N
};

// The force on a flat plate: drag along the air's way past it and lift across that, both with the area that it holds
// against the air. Source: Keckeisen, Kimmerle, Thomaszewski, Wacker 2004, "Modelling Effects of Wind Fields in Cloth
// Animations", section 4, with a lift that vanishes along the plate and straight against it.
vec3 plate_force(vec3 normal, float area, vec3 past) {
    float speed = length(past);
    if (speed == 0.0) return vec3(0.0);
    float across = dot(past, normal);
    vec3 drag = air.drag * abs(across) * past;
    vec3 lift = air.lift * across * (speed * normal - across / speed * past);
    return 0.5 * air.density * area * (drag + lift);
}

void main() {
    uint index = element_index();
    if (index >= air.particle_count) return;
    vec3 position = particle_position(index);
    vec3 velocity = particle_velocity(index);
    vec3 force = vec3(0.0);
    for (uint i = entries[index]; i < entries[index + 1]; i += 2) {
        uint next = entries[i];
        uint last = entries[i + 1];
        vec3 doubled_area = cross(particle_position(next) - position, particle_position(last) - position);
        float area = 0.5 * length(doubled_area);
        if (area == 0.0) continue;
        vec3 triangle_velocity = (velocity + particle_velocity(next) + particle_velocity(last)) / 3.0;
        // A third of the triangle's force for each of its corners.
        force += plate_force(normalize(doubled_area), area, air.velocity.xyz - triangle_velocity) / 3.0;
    }
    // In a substep it does no more than let the particle go along with the air: a stronger push, of light cloth in a gale,
    // would throw it ahead, and ever farther.
    float most = length(air.velocity.xyz - velocity);
    float change = length(force) * particle_inverse_mass(index) * air.substep_dt;
    if (change > most) force *= most / change;
    forces[index] = vec4(force, 0.0);
}
