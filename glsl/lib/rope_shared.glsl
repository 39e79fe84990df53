// A step of a rope in the shared memory of a workgroup, at any level.
//
// Far ropes are coarser. At level 1 only every second particle is simulated, at level 2 every fourth; the others are drawn
// on a curve through those. At level 3 nothing is: the whole rope sways about its anchors. Where a particle is not where
// its level places it, as after a change of level, its deviation dies away as a critically damped spring would have it,
// from the place and the velocity that the particle had.

#include "lib/rope_curve.glsl"

shared vec3 now[SHARED_PARTICLES];
shared vec3 before[SHARED_PARTICLES];
shared bool pinned[SHARED_PARTICLES]; // by hand

bool is_held(uint index) {
    return pinned[index] || is_anchored(index);
}

void pull() {
    uint held = push.held_particle - first;
    if (push.hand.w == 0.0 || held > last || is_held(held)) return;
    vec3 change = pull_at(now[held], before[held]);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i <= last; i += gl_WorkGroupSize.x) {
        before[i] = pulled(i, held, before[i], change);
    }
    barrier();
}

// What is left after a substep of a deviation that is `deviation` now and was `earlier` one substep before: x'' = -2 x' / T
// - x / T^2, whose solutions at equal intervals h follow this with r = exp(-h / T).
vec3 next_deviation(vec3 deviation, vec3 earlier) {
    float kept = parameters.deviation_kept;
    return kept * (2.0 * deviation - kept * earlier);
}

vec3 on_curve_now(CurvePlace place) {
    return place.weights.x * now[place.particles.x] + place.weights.y * now[place.particles.y] +
                       place.weights.z * now[place.particles.z] + place.weights.w * now[place.particles.w];
}

vec3 on_curve_before(CurvePlace place) {
    return place.weights.x * before[place.particles.x] + place.weights.y * before[place.particles.y] +
                       place.weights.z * before[place.particles.z] + place.weights.w * before[place.particles.w];
}

// A substep with every `stride`th particle simulated, and the last one.
void simulate(uint stride, uint iterations, float start, float end) {
    uint links = (last + stride - 1) / stride;
    // Particles that are left out keep their deviation in `now` until the others have moved.
    if (stride > 1) {
        for (uint i = gl_LocalInvocationID.x; i < last; i += gl_WorkGroupSize.x) {
            if (i % stride == 0) continue;
            CurvePlace place = curve_place(i, stride, last);
            vec3 deviation = next_deviation(now[i] - on_curve_now(place), before[i] - on_curve_before(place));
            before[i] = now[i];
            now[i] = deviation;
        }
        barrier();
    }
    for (uint node = gl_LocalInvocationID.x; node <= links; node += gl_WorkGroupSize.x) {
        uint index = min(node * stride, last);
        vec3 place = moved(index, pinned[index], now[index], before[index], end);
        before[index] = now[index];
        now[index] = place;
    }
    barrier();
    // Links of one parity share no particle.
    for (uint sweep = 0; sweep < 2 * iterations; ++sweep) {
        for (uint link = 2 * gl_LocalInvocationID.x + sweep % 2; link < links; link += 2 * gl_WorkGroupSize.x) {
            uint a = link * stride;
            uint b = min(a + stride, last);
            vec3 place_a = now[a];
            vec3 place_b = now[b];
            solve(place_a, place_b, shares_of(is_held(a), is_held(b)), link_length * float(b - a));
            now[a] = place_a;
            now[b] = place_b;
        }
        barrier();
    }
    if (COLLIDES) {
        for (uint node = gl_LocalInvocationID.x; node <= links; node += gl_WorkGroupSize.x) {
            uint index = min(node * stride, last);
            if (is_held(index)) continue;
            vec3 place = now[index];
            vec3 from = before[index];
            collide(place, from, start, end);
            now[index] = place;
            before[index] = from;
        }
        barrier();
    }
    if (stride > 1) {
        for (uint i = gl_LocalInvocationID.x; i < last; i += gl_WorkGroupSize.x) {
            if (i % stride != 0) now[i] += on_curve_now(curve_place(i, stride, last));
        }
    }
}

// Where the baked motion has a particle at a share of the step.
vec3 baked(uint index, float share) {
    vec4 sway = ropes[rope_index].sway;
    float time = push.camera.w + share * float(parameters.substeps) * parameters.substep_dt;
    // Ropes sway out of step: the fractions of multiples of the golden ratio lie evenly.
    float turns = fract(sway.w * time + fract(0.618034 * float(rope_index)));
    float angle = parameters.sway_angle * sin(6.28318531 * (turns - 0.5));
    vec3 axis = sway.xyz;
    vec3 rest = rests[first + index].xyz;
    // Rodrigues' rotation.
    vec3 along = dot(axis, rest) * axis;
    vec3 turned = along + cos(angle) * (rest - along) + sin(angle) * cross(axis, rest);
    return anchored_at(is_end_anchored.x ? 0 : last, share) + turned;
}

void play(uint index, float start, float end) {
    if (is_anchored(index)) {
        before[index] = now[index];
        now[index] = anchored_at(index, end);
        return;
    }
    float earlier = start - (end - start);
    vec3 deviation = next_deviation(now[index] - baked(index, start), before[index] - baked(index, earlier));
    before[index] = now[index];
    now[index] = baked(index, end) + deviation;
}

// All invocations of the workgroup call this for the same rope.
void step_in_shared_memory(uint earlier_level, uint level) {
    for (uint i = gl_LocalInvocationID.x; i <= last; i += gl_WorkGroupSize.x) {
        now[i] = vec3(load(0, i), load(1, i), load(2, i));
        before[i] = vec3(load(3, i), load(4, i), load(5, i));
        pinned[i] = is_pinned(i);
    }
    barrier();

    for (uint substep = 0; substep < parameters.substeps; ++substep) {
        float start = float(substep) / float(parameters.substeps);
        float end = float(substep + 1) / float(parameters.substeps);
        if (level < BAKED) {
            pull();
            simulate(1 << level, max(parameters.iterations >> level, 1), start, end);
        } else {
            for (uint i = gl_LocalInvocationID.x; i <= last; i += gl_WorkGroupSize.x) play(i, start, end);
        }
    }

    // A node may have been moved by another invocation than the one that stores it.
    barrier();
    for (uint i = gl_LocalInvocationID.x; i <= last; i += gl_WorkGroupSize.x) {
        for (uint axis = 0; axis < 3; ++axis) {
            store(axis, i, now[i][axis]);
            store(3 + axis, i, before[i][axis]);
        }
        if (level != earlier_level) store(LEVEL_PLANE, i, float(level));
    }
}
