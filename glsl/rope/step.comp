#version 450
#extension GL_GOOGLE_include_directive : require

// A whole step of ropes, after document 004: each workgroup keeps one rope in its shared memory and takes it through all
// substeps, each of which is Verlet's formula, then iterations over the links, then collision.
//
// Far ropes are coarser. At level 1 only every second particle is simulated, at level 2 every fourth; the others are drawn
// on a curve through those. At level 3 nothing is: the whole rope sways about its anchors. Where a particle is not where
// its level places it, as after a change of level, its deviation dies away as a critically damped spring would have it,
// from the place and the velocity that the particle had.

layout(local_size_x = 64) in;

const uint MOST_PARTICLES = 256;
const uint BAKED = 3; // level
const uint PLANES = 8;

struct Rope {
    uint first;
    uint particle_count;
    float link_length;  // m
    uint coarsest;
    vec4 first_start;   // xyz: m, where its first particle is held at the start of the step; w: 1 where it is, else 0
    vec4 first_end;
    vec4 last_start;
    vec4 last_end;
    vec4 sway;          // xyz: axis, w: Hz
};

// x, y, z, previous x, y, z, level, and 1 where pinned by hand, -1 where let go, a plane each.
layout(std430, binding = 0) buffer Planes {
    float planes[];
};
layout(std430, binding = 1) readonly buffer Ropes {
    Rope ropes[];
};
layout(std430, binding = 2) readonly buffer Rests {
    vec4 rests[]; // xyz: m, from the first end that is held
};

layout(std140, binding = 3) uniform RopeParameters {
    vec4 acceleration;    // xyz: m/s^2
    vec4 level_distances; // xyz: m, w: share
    float velocity_loss;  // share of the implicit velocity that one substep loses
    float substep_dt;     // s
    uint substeps;
    uint iterations;
    float deviation_kept; // share that one substep leaves
    float sway_angle;     // rad
} parameters;

#include "lib/collide.glsl"
#include "lib/pull.glsl"
#include "lib/rope_curve.glsl"

layout(push_constant) uniform RopePush {
    vec4 camera; // xyz: m; w: s, time at the start of the step within the loop of the sway
    vec4 hand;   // xyz: m; w: rad/s, frequency of its spring, 0 where there is none
    float hand_reach;  // m
    float hand_radius; // m, along the rope
    uint held_particle;
    uint collider_count;
    uint coarsest;
    uint padding[3];
} push;

shared vec3 now[MOST_PARTICLES];
shared vec3 before[MOST_PARTICLES];
shared bool pinned[MOST_PARTICLES]; // by hand

Rope rope;
uint last; // particle

bool is_anchored(uint index) {
    return (index == 0 && rope.first_start.w > 0.0) || (index == last && rope.last_start.w > 0.0);
}

bool is_held(uint index) {
    return pinned[index] || is_anchored(index);
}

// Where an end that is anchored is at a share of the step.
vec3 anchored_at(uint index, float share) {
    return index == 0 ? mix(rope.first_start.xyz, rope.first_end.xyz, share)
                      : mix(rope.last_start.xyz, rope.last_end.xyz, share);
}

// The level at a distance, for a rope that was at `level`: it changes where the distance is clearly another one's.
uint level_at(float distance, uint level) {
    uint coarsest = min(rope.coarsest, push.coarsest);
    float margin = parameters.level_distances.w;
    while (level < coarsest && distance > parameters.level_distances[level] * (1.0 + margin)) ++level;
    while (level > 0 && (level > coarsest || distance < parameters.level_distances[level - 1] * (1.0 - margin))) --level;
    return level;
}

// A hand pulls at the particle that it holds and, less, at those around it. Their velocities are their ways, which change
// by where they come from.
void pull() {
    uint held = push.held_particle - rope.first;
    if (push.hand.w == 0.0 || held > last || is_held(held)) return;
    float dt = parameters.substep_dt;
    vec3 change = pull_of(push.hand.xyz, push.hand.w, push.hand_reach, dt, now[held], (now[held] - before[held]) / dt);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i <= last; i += gl_WorkGroupSize.x) {
        float along = abs(float(i) - float(held)) * rope.link_length;
        before[i] -= grip_weight(along / push.hand_radius) * dt * change;
    }
    barrier();
}

// x_new = x + (x - x_previous) (1 - d) + a dt^2. Anchored ends go with their anchors, and what is pinned stays.
void integrate(uint index, float end) {
    float dt = parameters.substep_dt;
    vec3 position = now[index];
    vec3 velocity = (position - before[index]) * (1.0 - parameters.velocity_loss);
    before[index] = position;
    if (is_anchored(index)) now[index] = anchored_at(index, end);
    else if (!pinned[index]) now[index] = position + velocity + parameters.acceleration.xyz * (dt * dt);
}

// Brings two particles to their distance, each by half of what is missing; one whose partner is held, by all of it.
void solve(uint a, uint b) {
    float weight_a = is_held(a) ? 0.0 : 1.0;
    float weight_b = is_held(b) ? 0.0 : 1.0;
    vec3 way = now[b] - now[a];
    float distance = length(way);
    if (distance == 0.0 || weight_a + weight_b == 0.0) return;
    float rest_length = rope.link_length * float(b - a);
    vec3 correction = (distance - rest_length) / distance / (weight_a + weight_b) * way;
    now[a] += weight_a * correction;
    now[b] -= weight_b * correction;
}

// Moves a particle out of the colliders. Document 004 has friction bring the previous position closer to the position;
// here the position comes closer to the previous one, along the surface, which leaves the same velocity and holds what
// rests. What started inside is put outside, but not thrown there: the previous position comes along.
void collide(uint index, float start, float end) {
    vec3 from = before[index];
    vec3 position = now[index];
    for (uint i = 0; i < push.collider_count; ++i) {
        Contact contact = collide_one(colliders[i], start, end, from, position);
        position = contact.position;
        float leaving = dot(contact.surface - before[index], contact.normal);
        if (leaving > 0.0) before[index] += leaving * contact.normal;
    }
    now[index] = position;
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
        integrate(min(node * stride, last), end);
    }
    barrier();
    // Links of one parity share no particle.
    for (uint sweep = 0; sweep < 2 * iterations; ++sweep) {
        for (uint link = 2 * gl_LocalInvocationID.x + sweep % 2; link < links; link += 2 * gl_WorkGroupSize.x) {
            solve(link * stride, min((link + 1) * stride, last));
        }
        barrier();
    }
    if (push.collider_count > 0) {
        for (uint node = gl_LocalInvocationID.x; node <= links; node += gl_WorkGroupSize.x) {
            uint index = min(node * stride, last);
            if (!is_held(index)) collide(index, start, end);
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
    float time = push.camera.w + share * float(parameters.substeps) * parameters.substep_dt;
    // Ropes sway out of step: the fractions of multiples of the golden ratio lie evenly.
    float turns = fract(rope.sway.w * time + fract(0.618034 * float(gl_WorkGroupID.x)));
    float angle = parameters.sway_angle * sin(6.28318531 * (turns - 0.5));
    vec3 axis = rope.sway.xyz;
    vec3 rest = rests[rope.first + index].xyz;
    // Rodrigues' rotation.
    vec3 along = dot(axis, rest) * axis;
    vec3 turned = along + cos(angle) * (rest - along) + sin(angle) * cross(axis, rest);
    return anchored_at(rope.first_start.w > 0.0 ? 0 : last, share) + turned;
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

void main() {
    rope = ropes[gl_WorkGroupID.x];
    last = rope.particle_count - 1;
    uint size = planes.length() / PLANES;
    for (uint i = gl_LocalInvocationID.x; i <= last; i += gl_WorkGroupSize.x) {
        uint place = rope.first + i;
        now[i] = vec3(planes[place], planes[size + place], planes[2 * size + place]);
        before[i] = vec3(planes[3 * size + place], planes[4 * size + place], planes[5 * size + place]);
        pinned[i] = planes[7 * size + place] > 0.0;
    }
    uint level = uint(planes[6 * size + rope.first]);
    barrier();
    level = level_at(distance(push.camera.xyz, now[rope.particle_count / 2]), level);
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
        uint place = rope.first + i;
        for (uint axis = 0; axis < 3; ++axis) {
            planes[axis * size + place] = now[i][axis];
            planes[(3 + axis) * size + place] = before[i][axis];
        }
        planes[6 * size + place] = float(level);
    }
}
