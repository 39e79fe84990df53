// Finds the particle that a ray means: of those near it, the one for which the way along the ray and the way across it
// are shortest together. That is the nearest one where a surface faces the ray, and never one behind another surface that
// lies farther in front of it than its particles are apart. A file that includes this says where particles are:
// current_position(index).

// One workgroup goes over all particles.
layout(local_size_x = 128) in;

const uint NONE = 0xffffffff;

struct Picked {
    vec4 position; // xyz: m, w: how far along the ray, m
    uint index;    // or NONE
    uint padding[3];
};

layout(std430, binding = 1) writeonly buffer Result {
    Picked picked;
};

layout(push_constant) uniform PickPush {
    vec4 origin;    // xyz: m, w: how far from the ray a particle may be, m
    vec4 direction; // xyz: unit vector, w: and how far for each metre along it
    uint particle_count;
    uint padding[3];
} push;

shared float best_costs[gl_WorkGroupSize.x];
shared uint best_indices[gl_WorkGroupSize.x];

bool is_better(float cost, uint index, float than_cost, uint than_index) {
    return cost < than_cost || (cost == than_cost && index < than_index);
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    float best_cost = 3e38;
    uint best_index = NONE;
    for (uint index = lane; index < push.particle_count; index += gl_WorkGroupSize.x) {
        vec3 offset = current_position(index) - push.origin.xyz;
        float along = dot(offset, push.direction.xyz);
        float across = length(offset - along * push.direction.xyz);
        // Written so that what is not finite is not near.
        bool is_near = along > 0.0 && across <= max(push.origin.w, push.direction.w * along);
        if (is_near && is_better(along + across, index, best_cost, best_index)) {
            best_cost = along + across;
            best_index = index;
        }
    }
    best_costs[lane] = best_cost;
    best_indices[lane] = best_index;
    for (uint half_size = gl_WorkGroupSize.x / 2; half_size > 0; half_size /= 2) {
        barrier();
        if (lane < half_size) {
            uint other = lane + half_size;
            if (is_better(best_costs[other], best_indices[other], best_costs[lane], best_indices[lane])) {
                best_costs[lane] = best_costs[other];
                best_indices[lane] = best_indices[other];
            }
        }
    }
    if (lane > 0) return;
    picked.index = best_indices[0];
    vec3 position = best_indices[0] == NONE ? vec3(0.0) : current_position(best_indices[0]);
    picked.position = vec4(position, dot(position - push.origin.xyz, push.direction.xyz));
}
