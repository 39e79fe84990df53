// What every kernel of ropes has: their data, and what happens to a level, a particle and a link.
//
// A rope ends in the same bits whichever kernel moves it and however: so all of them call the functions here, where
// `no_contraction` and `fma` leave no choice of what is rounded together.

// Most particles of a rope that is kept in shared memory; 1 where none is.
layout(constant_id = 1) const uint SHARED_PARTICLES = 256;
layout(constant_id = 2) const bool COLLIDES = true;

const uint BAKED = 3; // level
const uint PLANES = 8;
const uint PLACE_PLANES = 6;
const uint LEVEL_PLANE = 6;
const uint PIN_PLANE = 7;

struct Rope {
    uint first;
    uint particle_count;
    float link_length;  // m
    uint coarsest;      // level; 0 where a hand has hold of it, or has pinned a particle or let one go
    vec4 first_start;   // xyz: m, where its first particle is held at the start of the step; w: 1 where it is, else 0
    vec4 first_end;
    vec4 last_start;
    vec4 last_end;
    vec4 sway;          // xyz: axis, w: Hz
};

// x, y, z, previous x, y, z, level, and 1 where pinned by hand, -1 where let go, a plane each. In pairs, for those who need
// two neighbours at once.
layout(std430, binding = 0) buffer Planes {
    vec2 planes[];
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

// The rope that this invocation helps to move.
uint rope_index;
uint first;
uint last; // from its first particle on
float link_length; // m
bool has_pins;
bvec2 is_end_anchored;
uint plane_size;

void take_rope(uint index) {
    rope_index = index;
    first = ropes[index].first;
    last = ropes[index].particle_count - 1;
    link_length = ropes[index].link_length;
    has_pins = ropes[index].coarsest == 0;
    // Of the ends of the step, so that all that is read of the rope later is in the cache by then.
    is_end_anchored = bvec2(ropes[index].first_end.w > 0.0, ropes[index].last_end.w > 0.0);
    plane_size = planes.length() / (PLANES / 2);
}

float load(uint plane, uint index) {
    uint place = plane * plane_size + first + index;
    return planes[place / 2][place % 2];
}

void store(uint plane, uint index, float value) {
    uint place = plane * plane_size + first + index;
    planes[place / 2][place % 2] = value;
}

bool is_anchored(uint index) {
    return (index == 0 && is_end_anchored.x) || (index == last && is_end_anchored.y);
}

bool is_pinned(uint index) {
    return has_pins && load(PIN_PLANE, index) > 0.0;
}

// Where an end that is anchored is at a share of the step.
vec3 anchored_at(uint index, float share) {
    vec3 start = index == 0 ? ropes[rope_index].first_start.xyz : ropes[rope_index].last_start.xyz;
    vec3 end = index == 0 ? ropes[rope_index].first_end.xyz : ropes[rope_index].last_end.xyz;
    return fma(vec3(share), end, (1.0 - share) * start);
}

// The level of the rope in this step, which was at `level`: it changes where the rope's distance is clearly another one's.
uint next_level(uint level) {
    uint coarsest = min(ropes[rope_index].coarsest, push.coarsest);
    if (coarsest == 0) return 0;
    uint middle = (last + 1) / 2;
    float away = distance(push.camera.xyz, vec3(load(0, middle), load(1, middle), load(2, middle)));
    float margin = parameters.level_distances.w;
    while (level < coarsest && away > parameters.level_distances[level] * (1.0 + margin)) ++level;
    while (level > 0 && (level > coarsest || away < parameters.level_distances[level - 1] * (1.0 - margin))) --level;
    return level;
}

// What a hand changes of the velocity of the particle that it holds. Velocities are ways, which change by where they come
// from.
vec3 pull_at(vec3 now, vec3 before) {
    float dt = parameters.substep_dt;
    vec3 velocity = (now - before) / dt;
    return pull_of(push.hand.xyz, push.hand.w, push.hand_reach, dt, now, velocity);
}

// Where a particle comes from after a hand that holds another one has pulled, less the farther along the rope.
vec3 pulled(uint index, uint held, vec3 before, vec3 change) {
    float along = abs(float(index) - float(held)) * link_length;
    return before - grip_weight(along / push.hand_radius) * parameters.substep_dt * change;
}

// x_new = x + (x - x_previous) (1 - d) + a dt^2. Anchored ends go with their anchors, and what is pinned stays.
vec3 moved(uint index, bool is_pinned, vec3 now, vec3 before, float end) {
    if (is_anchored(index)) return anchored_at(index, end);
    if (is_pinned) return now;
    float dt = parameters.substep_dt;
    vec3 fall = parameters.acceleration.xyz * (dt * dt);
    return fma(vec3(1.0 - parameters.velocity_loss), now - before, now) + fall;
}

// The shares of what a link's length is off that each of its particles moves by: half, or all where the other is held.
vec2 shares_of(bool is_a_held, bool is_b_held) {
    if (is_a_held) return vec2(0.0, is_b_held ? 0.0 : 1.0);
    return is_b_held ? vec2(1.0, 0.0) : vec2(0.5);
}

// Brings two particles to their distance. Of the way between them that is missing or too much, this takes the share
// (distance - rest_length) / distance.
void solve(inout vec3 a, inout vec3 b, vec2 shares, float rest_length) {
    vec3 way = b - a;
    float square = fma(way.x, way.x, fma(way.y, way.y, way.z * way.z));
    float off = square > 0.0 ? fma(-rest_length, inversesqrt(square), 1.0) : 0.0;
    vec3 new_a = fma(vec3(shares.x * off), way, a);
    vec3 new_b = fma(vec3(-shares.y * off), way, b);
    a = new_a;
    b = new_b;
}

// Where a particle comes from when a surface along `normal` has come from `surface`: not from below that.
vec3 taken_along(vec3 before, vec3 surface, vec3 normal) {
    float leaving = dot(surface - before, normal);
    return before + max(leaving, 0.0) * normal;
}

// Moves a particle out of the colliders. Document 004 has friction bring the previous position closer to the position;
// here the position comes closer to the previous one, along the surface, which leaves the same velocity and holds what
// rests. What started inside is put outside, but not thrown there: the previous position comes along.
void collide(inout vec3 now, inout vec3 before, float start, float end) {
    vec3 from = before;
    for (uint i = 0; i < push.collider_count; ++i) {
        Contact contact = collide_one(colliders[i], start, end, from, now);
        now = contact.position;
        before = taken_along(before, contact.surface, contact.normal);
    }
}
