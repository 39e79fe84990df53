// Pulls at the particles that a hand holds, at the start of a substep: at the first of them towards the hand, and at the
// others by their share of the same change of velocity. A file that includes this says how they are read and changed:
// is_pinned(index), particle_position(index), particle_velocity(index), change_velocity(index, change).

#include "lib/pull.glsl"

// One workgroup takes all of them.
layout(local_size_x = 64) in;

void main() {
    uint held = grip_particles[0].index;
    if (is_pinned(held)) return;
    vec3 pull = pull_of(push.target.xyz, push.target.w, push.reach, push.substep_dt, particle_position(held),
                        particle_velocity(held));
    // Nobody changes the first one before all have seen it.
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < push.count; i += gl_WorkGroupSize.x) {
        GripParticle particle = grip_particles[i];
        if (!is_pinned(particle.index)) change_velocity(particle.index, particle.weight * pull);
    }
}
