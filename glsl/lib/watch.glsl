// Looks at particles and springs after a step: what is not finite, and the greatest of the others, each with the least index
// that has it. A file that includes this says where particles are and how fast they go: current_position(index) and
// particle_velocity(index).

#include "lib/layout.glsl"
#include "lib/collider_distance.glsl"

const uint NONE = 0xffffffff;
const float MOST = 3.4028235e38;
const uint LOOKS_KEPT = 16;
const uint MOST_LOOK_WORKGROUPS = 512;

struct Look {
    uint non_finite_count;  // particles
    uint first_non_finite;  // the least of their indices, or NONE
    float speed;            // m/s
    uint speed_particle;
    float depth;            // m, inside a collider
    uint depth_particle;    // or NONE
    float strain;           // of structural springs, 0.01 for 1 %
    uint strain_spring;     // or NONE
    float error;            // of all springs, as a share of their rest length
    uint error_spring;      // or NONE
    uint padding[2];
};

layout(std430, binding = 2) readonly buffer Constraints {
    Constraint constraints[]; // one that is cut joins a particle to itself
};
layout(std430, binding = 3) readonly buffer Structural {
    uint structural[]; // a bit for each spring, 1 where it is structural
};
layout(std430, binding = 4) coherent buffer Looks {
    Look looks[LOOKS_KEPT];
    Look partial_looks[MOST_LOOK_WORKGROUPS];
    uint finished; // workgroups of this call
};

shared Look kept[gl_WorkGroupSize.x];
shared bool is_last;

bool is_finite(vec3 vector) {
    // By its bits, for compilers may take it that no number is anything else.
    return all(lessThan(floatBitsToUint(vector) & 0x7f800000, uvec3(0x7f800000)));
}

Look nothing() {
    return Look(0, NONE, 0.0, NONE, 0.0, NONE, 0.0, NONE, 0.0, NONE, uint[](0, 0));
}

void keep_greater(inout float value, inout uint index, float other, uint other_index) {
    if (other > value || (other == value && other_index < index)) {
        value = other;
        index = other_index;
    }
}

void join(inout Look look, Look other) {
    look.non_finite_count += other.non_finite_count;
    look.first_non_finite = min(look.first_non_finite, other.first_non_finite);
    keep_greater(look.speed, look.speed_particle, other.speed, other.speed_particle);
    keep_greater(look.depth, look.depth_particle, other.depth, other.depth_particle);
    keep_greater(look.strain, look.strain_spring, other.strain, other.strain_spring);
    keep_greater(look.error, look.error_spring, other.error, other.error_spring);
}

void look_at_particle(inout Look look, uint index) {
    vec3 position = current_position(index);
    vec3 velocity = particle_velocity(index);
    if (!is_finite(position) || !is_finite(velocity)) {
        look.non_finite_count += 1;
        look.first_non_finite = min(look.first_non_finite, index);
        return;
    }
    float speed = min(length(velocity), MOST);
    keep_greater(look.speed, look.speed_particle, speed, index);
    float depth = 0.0;
    for (uint i = 0; i < push.collider_count; ++i) {
        Collider collider = colliders[i];
        if (distance(position, position_at(collider, 1.0)) >= reach_of(collider)) continue;
        depth = max(depth, -signed_distance(collider, position, 1.0));
    }
    if (depth > 0.0) keep_greater(look.depth, look.depth_particle, depth, index);
}

void look_at_spring(inout Look look, uint number) {
    Constraint constraint = constraints[number];
    vec3 way = current_position(constraint.index_a) - current_position(constraint.index_b);
    if (constraint.index_a == constraint.index_b || !is_finite(way)) return;
    uint index = push.first_spring + number;
    float size = length(way);
    float rest_length = push.elongation * constraint.rest_length;
    float error = min(abs(size - rest_length) / rest_length, MOST);
    keep_greater(look.error, look.error_spring, error, index);
    bool is_structural = (structural[index / 32] >> (index % 32) & 1) != 0;
    float strain = clamp(size / constraint.rest_length - 1.0, 0.0, MOST);
    if (is_structural) keep_greater(look.strain, look.strain_spring, strain, index);
}

// Joins what the invocations of a workgroup have found, into kept[0].
void join_workgroup(Look look) {
    uint lane = gl_LocalInvocationID.x;
    kept[lane] = look;
    for (uint half_size = gl_WorkGroupSize.x / 2; half_size > 0; half_size /= 2) {
        barrier();
        if (lane < half_size) {
            Look joined = kept[lane];
            join(joined, kept[lane + half_size]);
            kept[lane] = joined;
        }
    }
}

void main() {
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    Look look = nothing();
    for (uint i = gl_GlobalInvocationID.x; i < push.particle_count; i += stride) look_at_particle(look, i);
    for (uint i = gl_GlobalInvocationID.x; i < push.spring_count; i += stride) look_at_spring(look, i);
    join_workgroup(look);

    // The workgroup that is done last joins what all of them have found: which one that is makes no difference.
    uint lane = gl_LocalInvocationID.x;
    if (lane == 0) {
        partial_looks[gl_WorkGroupID.x] = kept[0];
        memoryBarrierBuffer();
        is_last = atomicAdd(finished, 1) + 1 == gl_NumWorkGroups.x;
    }
    barrier();
    if (!is_last) return;
    memoryBarrierBuffer();
    look = nothing();
    for (uint i = lane; i < gl_NumWorkGroups.x; i += gl_WorkGroupSize.x) join(look, partial_looks[i]);
    join_workgroup(look);
    if (lane > 0) return;
    look = kept[0];
    // A call before has looked at other springs of the same step.
    if (push.goes_on != 0) join(look, looks[push.slot]);
    looks[push.slot] = look;
    finished = 0;
}
