#version 450
#extension GL_GOOGLE_include_directive : require

// One substep of a mass-spring grid with velocities, after document 001: 8 springs with damping along the spring, then
// semi-implicit Euler, then colliders. All reads are of the state before, all writes of the state after.

layout(local_size_x = 16, local_size_y = 16) in;

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg; row by row
};
layout(std430, binding = 1) readonly buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};
layout(std430, binding = 2) writeonly buffer NextPositions {
    vec4 next_positions[];
};
layout(std430, binding = 3) writeonly buffer NextVelocities {
    vec4 next_velocities[];
};

layout(std140, binding = 4) uniform MassSpringParameters {
    vec4 acceleration; // xyz: m/s^2, gravity and the external acceleration
    ivec2 grid_size;
    float rest_length; // m, of the structural springs
    float stiffness;   // N/m
    float damping;     // N s/m
    float substep_dt;  // s
    uint has_forces;   // whether there are external forces on particles
} parameters;

#include "lib/collide.glsl"
#include "lib/forces.glsl"

layout(push_constant) uniform CollidePush {
    float start; // share of the step, 0 to 1
    float end;
    uint collider_count;
} push;

uint index_of(ivec2 coord) {
    return uint(coord.y * parameters.grid_size.x + coord.x);
}

// The force of one spring on the particle at its near end, zero past the edge of the grid.
vec3 spring_force(ivec2 coord, vec3 position, vec3 velocity, ivec2 offset, float rest_length) {
    ivec2 neighbour = coord + offset;
    if (any(lessThan(neighbour, ivec2(0))) || any(greaterThanEqual(neighbour, parameters.grid_size))) return vec3(0.0);
    uint other = index_of(neighbour);
    vec3 difference = positions[other].xyz - position;
    float distance = length(difference);
    if (distance == 0.0) return vec3(0.0);
    vec3 direction = difference / distance;
    float stretching_speed = dot(velocities[other].xyz - velocity, direction);
    return (parameters.stiffness * (distance - rest_length) + parameters.damping * stretching_speed) * direction;
}

void main() {
    ivec2 coord = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(coord, parameters.grid_size))) return;
    uint index = index_of(coord);
    vec4 particle = positions[index];
    if (particle.w == 0.0) {
        next_positions[index] = particle;
        next_velocities[index] = vec4(0.0);
        return;
    }

    vec3 previous = particle.xyz;
    vec3 velocity = velocities[index].xyz;
    const ivec2 structural[4] = ivec2[](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1));
    const ivec2 shear[4] = ivec2[](ivec2(1, 1), ivec2(-1, 1), ivec2(1, -1), ivec2(-1, -1));
    float side = parameters.rest_length;
    float diagonal = 1.41421356 * side;
    // No branch: Mesa's software driver would compile the kernel anew, and keep what it compiled, with each dispatch.
    vec3 force = mix(vec3(0.0), forces[parameters.has_forces * index].xyz, bvec3(parameters.has_forces != 0));
    for (int i = 0; i < 4; ++i) {
        force += spring_force(coord, previous, velocity, structural[i], side);
    }
    for (int i = 0; i < 4; ++i) {
        force += spring_force(coord, previous, velocity, shear[i], diagonal);
    }

    float h = parameters.substep_dt;
    velocity += h * (force * particle.w + parameters.acceleration.xyz);
    vec3 position = previous + h * velocity;

    for (uint i = 0; i < push.collider_count; ++i) {
        Contact contact = collide_one(colliders[i], push.start, push.end, previous, position);
        if (contact.normal == vec3(0.0)) continue;
        position = contact.position;
        // The part of the velocity that leads into the collider, which moves as well, is dropped, and friction takes as
        // much from the part along it as the dropped part times its coefficient.
        vec3 surface_velocity = (contact.position - contact.surface) / h;
        vec3 relative = velocity - surface_velocity;
        float inward = min(dot(relative, contact.normal), 0.0);
        vec3 along = relative - dot(relative, contact.normal) * contact.normal;
        float along_speed = length(along);
        velocity -= inward * contact.normal;
        if (along_speed > 0.0) velocity -= along * min(1.0, -inward * colliders[i].friction / along_speed);
    }
    next_positions[index] = vec4(position, particle.w);
    next_velocities[index] = vec4(velocity, 0.0);
}
