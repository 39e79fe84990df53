#version 450
#extension GL_GOOGLE_include_directive : require

// Moves each particle to the mean of its n parts, which its n constraints have moved by n w correction each: by the sum
// of w correction. Each particle gathers its own, always in the same order, so there are no atomics.

layout(local_size_x = 256) in;

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
// The ends of constraints at particle i are ends[first_ends[i]] up to first_ends[i + 1]: 2 * constraint for its first
// particle, 2 * constraint + 1 for its second.
layout(std430, binding = 1) readonly buffer FirstEnds {
    uint first_ends[];
};
layout(std430, binding = 2) readonly buffer Ends {
    uint ends[];
};
layout(std430, binding = 3) readonly buffer Corrections {
    vec4 corrections[]; // xyz: kg m, for the first particle; the second gets the opposite
};

#include "lib/element.glsl"
#include "lib/pbd_parameters.glsl"

void main() {
    uint index = element_index();
    if (index >= parameters.particle_count) return;
    vec4 particle = positions[index];
    vec3 sum = vec3(0.0);
    for (uint i = first_ends[index]; i < first_ends[index + 1]; ++i) {
        vec3 correction = corrections[ends[i] / 2].xyz;
        sum += ends[i] % 2 == 0 ? correction : -correction;
    }
    positions[index] = vec4(particle.xyz + particle.w * sum, particle.w);
}
