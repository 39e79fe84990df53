// Jumps of what holds particles, and which of them each particle goes along with.

#include "lib/pose.glsl"

layout(local_size_x = 64) in;

#include "lib/element.glsl"

struct Jump {
    vec4 from; // xyz: m
    vec4 to; // xyz: m
    vec4 rotation; // unit quaternion xyzw
};

layout(std430, binding = 2) readonly buffer JumpOf {
    uint jump_of[]; // of each particle the index of its jump, or STAYS
};
layout(std430, binding = 3) readonly buffer Jumps {
    Jump jumps[];
};

layout(push_constant) uniform TeleportPush {
    uint particle_count;
} push;

const uint STAYS = 0xffffffffu;

vec3 carried_point(Jump jump, vec3 point) {
    return jump.to.xyz + rotate(jump.rotation, point - jump.from.xyz);
}

vec3 carried_vector(Jump jump, vec3 vector) {
    return rotate(jump.rotation, vector);
}
