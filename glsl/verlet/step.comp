#version 450
#extension GL_GOOGLE_include_directive : require

// One step of mass-spring Verlet on images, after document 000: three images take turns as the positions before, now
// and next, and the w of each texel says whether its particle is pinned.

layout(local_size_x = 16, local_size_y = 16) in;

layout(rgba32f, binding = 0) readonly uniform image2D u_PrevPos;
layout(rgba32f, binding = 1) readonly uniform image2D u_CurrPos;
layout(rgba32f, binding = 2) writeonly uniform image2D u_NextPos;

layout(std140, binding = 3) uniform VerletParameters {
    vec4 gravity;               // xyz: m/s^2
    vec4 wind;                  // xyz: mean acceleration, w: amplitude of its flutter, m/s^2
    ivec2 grid_size;
    float rest_length;          // m, of the structural springs
    float mass;                 // kg, of one particle
    float structural_stiffness; // N/m
    float shear_stiffness;      // N/m
    float flexion_stiffness;    // N/m
    float damping;              // share of the implicit velocity that one step loses
    float substep_dt;           // s
    float flutter_wave_number;  // rad/m
    float flutter_lift;         // share of the flutter that lifts
    uint has_forces;            // whether there are external forces on particles
} parameters;

#include "lib/collide.glsl"
#include "lib/forces.glsl"
#include "lib/wind.glsl"

layout(push_constant) uniform VerletPush {
    float start; // share of the step, 0 to 1
    float end;
    uint collider_count;
    float flutter_phase; // rad
} push;

// Hooke's law: the force on the particle at `position` from the one `offset` away, zero past the edge of the grid.
vec3 spring_force(ivec2 coord, vec3 position, ivec2 offset, float rest_length, float stiffness) {
    ivec2 neighbour = coord + offset;
    if (any(lessThan(neighbour, ivec2(0))) || any(greaterThanEqual(neighbour, parameters.grid_size))) return vec3(0.0);
    vec3 difference = position - imageLoad(u_CurrPos, neighbour).xyz;
    float distance = length(difference);
    if (distance == 0.0) return vec3(0.0);
    return -stiffness * (distance - rest_length) * (difference / distance);
}

void main() {
    ivec2 coord = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(coord, parameters.grid_size))) return;

    vec4 current = imageLoad(u_CurrPos, coord);
    if (current.w > 0.5) {
        imageStore(u_NextPos, coord, current);
        return;
    }

    vec3 position = current.xyz;
    vec3 wind = wind_acceleration(position, parameters.wind, parameters.flutter_wave_number, parameters.flutter_lift,
                                  push.flutter_phase);
    vec3 force = parameters.mass * (parameters.gravity.xyz + wind);
    if (parameters.has_forces != 0) force += forces[coord.y * parameters.grid_size.x + coord.x].xyz;

    const ivec2 structural[4] = ivec2[](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1));
    const ivec2 shear[4] = ivec2[](ivec2(1, 1), ivec2(-1, 1), ivec2(1, -1), ivec2(-1, -1));
    float side = parameters.rest_length;
    float diagonal = 1.41421356 * side;
    for (int i = 0; i < 4; ++i) {
        force += spring_force(coord, position, structural[i], side, parameters.structural_stiffness);
    }
    for (int i = 0; i < 4; ++i) {
        force += spring_force(coord, position, shear[i], diagonal, parameters.shear_stiffness);
    }
    for (int i = 0; i < 4; ++i) {
        force += spring_force(coord, position, 2 * structural[i], 2.0 * side, parameters.flexion_stiffness);
    }

    vec3 acceleration = force / parameters.mass;
    vec3 velocity = (position - imageLoad(u_PrevPos, coord).xyz) * (1.0 - parameters.damping);
    vec3 next = position + velocity + acceleration * (parameters.substep_dt * parameters.substep_dt);
    // The implicit velocity is what is left of the way, so that colliders stop it and friction slows it with no more to do.
    for (uint i = 0; i < push.collider_count; ++i) {
        next = collide_one(colliders[i], push.start, push.end, position, next).position;
    }
    imageStore(u_NextPos, coord, vec4(next, 0.0));
}
