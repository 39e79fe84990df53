// A step of a rope at level 0 in the registers of a subgroup: invocation l keeps particles 2 l and 2 l + 1. Every second link
// lies within an invocation; for the others each gets the first particle of the next and hands it back moved.

struct Particle {
    uint index;
    bool is_pinned; // by hand, or beyond the end of the rope
    bool is_held;   // pinned, or anchored
    vec3 now;
    vec3 before;
};

Particle particle_of(uint index, vec3 now, vec3 before) {
    bool stays = index > last || is_pinned(index);
    return Particle(index, stays, stays || is_anchored(index), now, before);
}

// Pulls at both particles of each invocation.
void pull(inout Particle a, inout Particle b) {
    uint held = push.held_particle - first;
    if (push.hand.w == 0.0 || held > last) return;
    bool is_second = held % 2 == 1;
    vec3 now = subgroupShuffle(is_second ? b.now : a.now, held / 2);
    vec3 before = subgroupShuffle(is_second ? b.before : a.before, held / 2);
    if (subgroupShuffle(is_second ? b.is_held : a.is_held, held / 2)) return;
    vec3 change = pull_at(now, before);
    a.before = pulled(a.index, held, a.before, change);
    b.before = pulled(b.index, held, b.before, change);
}

void move(inout Particle particle, float end) {
    vec3 place = moved(particle.index, particle.is_pinned, particle.now, particle.before, end);
    particle.before = particle.now;
    particle.now = place;
}

// All invocations of the subgroup call this for the same rope, which has at most two particles for each.
void step_in_registers(uint earlier_level) {
    uint index = 2 * gl_SubgroupInvocationID;
    bool has_first = index <= last;
    bool has_second = index < last;
    // Two neighbours lie in one pair where the rope and all planes start with a pair.
    bool are_paired = (plane_size % 2 | first % 2) == 0;
    vec2 places[PLACE_PLANES];
    for (uint plane = 0; plane < PLACE_PLANES; ++plane) places[plane] = vec2(0.0);
    if (are_paired && has_second) {
        uint pair = (first + index) / 2;
        for (uint plane = 0; plane < PLACE_PLANES; ++plane) places[plane] = planes[plane * (plane_size / 2) + pair];
    } else if (has_first) {
        for (uint plane = 0; plane < PLACE_PLANES; ++plane) {
            places[plane].x = load(plane, index);
            if (has_second) places[plane].y = load(plane, index + 1);
        }
    }
    Particle a = particle_of(index, vec3(places[0].x, places[1].x, places[2].x),
                             vec3(places[3].x, places[4].x, places[5].x));
    Particle b = particle_of(index + 1, vec3(places[0].y, places[1].y, places[2].y),
                             vec3(places[3].y, places[4].y, places[5].y));

    // In a ring: what the first and the last invocation have of each other goes back as it came.
    uint above = (gl_SubgroupInvocationID + 1) % gl_SubgroupSize;
    uint below = (gl_SubgroupInvocationID + gl_SubgroupSize - 1) % gl_SubgroupSize;
    bool has_next = index + 2 <= last;
    vec2 shares = shares_of(a.is_held, b.is_held);
    vec2 next_shares = shares_of(b.is_held, subgroupShuffle(a.is_held, above));

    for (uint substep = 0; substep < parameters.substeps; ++substep) {
        float start = float(substep) / float(parameters.substeps);
        float end = float(substep + 1) / float(parameters.substeps);
        pull(a, b);
        move(a, end);
        move(b, end);
        for (uint i = 0; i < parameters.iterations; ++i) {
            if (has_second) solve(a.now, b.now, shares, link_length);
            vec3 next = subgroupShuffle(a.now, above);
            if (has_next) solve(b.now, next, next_shares, link_length);
            a.now = subgroupShuffle(next, below);
        }
        if (COLLIDES) {
            if (!a.is_held) collide(a.now, a.before, start, end);
            if (!b.is_held) collide(b.now, b.before, start, end);
        }
    }

    // All have read what the level comes from before any changes it.
    if (earlier_level > 0 || push.coarsest > 0) subgroupBarrier();
    places[0] = vec2(a.now.x, b.now.x);
    places[1] = vec2(a.now.y, b.now.y);
    places[2] = vec2(a.now.z, b.now.z);
    places[3] = vec2(a.before.x, b.before.x);
    places[4] = vec2(a.before.y, b.before.y);
    places[5] = vec2(a.before.z, b.before.z);
    if (are_paired && has_second) {
        uint pair = (first + index) / 2;
        for (uint plane = 0; plane < PLACE_PLANES; ++plane) planes[plane * (plane_size / 2) + pair] = places[plane];
    } else if (has_first) {
        for (uint plane = 0; plane < PLACE_PLANES; ++plane) {
            store(plane, index, places[plane].x);
            if (has_second) store(plane, index + 1, places[plane].y);
        }
    }
    if (earlier_level == 0) return;
    if (has_first) store(LEVEL_PLANE, index, 0.0);
    if (has_second) store(LEVEL_PLANE, index + 1, 0.0);
}
