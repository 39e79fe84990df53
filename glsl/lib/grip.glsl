// What a hand holds, and where it is.

struct GripParticle {
    uint index;
    float weight; // share of the pull, 1 for the first
};

layout(std430, binding = 2) readonly buffer GripParticles {
    GripParticle grip_particles[];
};

layout(push_constant) uniform PullPush {
    vec4 target; // xyz: m, w: frequency, rad/s
    float reach; // m
    float substep_dt; // s
    uint count; // of grip_particles
    uint padding;
} push;
