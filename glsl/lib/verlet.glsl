// A substep of mass-spring Verlet for one node of a grid, after document 000: the same operations in the same order wherever
// nodes are kept, so that they end in the same bits. A file that includes this has the constant HAS_COLLIDERS, without which
// a kernel is smaller and more of them run at a time. Like HAS_FORCES it is no branch on what a uniform block says: Mesa's
// software driver would compile the kernel anew, and keep what it compiled, with each dispatch.

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
    uint padding;
} parameters;

#include "lib/collide.glsl"
#include "lib/wind.glsl"

// Where a neighbour of a node is now, and where there is none, the node itself: a file that includes this says so.
vec3 neighbour_position(ivec2 coord, int index, ivec2 offset, bool exists);

// Below this square of a length, m^2, a spring counts as this long: so one whose ends coincide pulls nowhere.
const float LEAST_SQUARE = 1e-37;

// Adds the force of one spring by Hooke's law, -k (|d| - l) d / |d|, as (k l / |d| - k) d, which takes one root.
void add_spring(inout vec3 force, vec3 position, vec3 neighbour, float stiffness, float rest_length) {
    vec3 way = position - neighbour;
    float square = fma(way.x, way.x, fma(way.y, way.y, way.z * way.z));
    float share = fma(stiffness * rest_length, inversesqrt(max(square, LEAST_SQUARE)), -stiffness);
    force = fma(vec3(share), way, force);
}

// Adds the force of the 12 springs of a node at `position`.
void add_springs(inout vec3 force, ivec2 coord, int index, vec3 position) {
    ivec2 after = parameters.grid_size - 1 - coord;
    bvec2 has_next = greaterThan(after, ivec2(0));
    bvec2 has_before = greaterThan(coord, ivec2(0));
    bvec2 has_second_next = greaterThan(after, ivec2(1));
    bvec2 has_second_before = greaterThan(coord, ivec2(1));
#define SPRING(x, y, exists) \
    add_spring(force, position, neighbour_position(coord, index, ivec2(x, y), exists), stiffness, rest_length)
    float stiffness = parameters.structural_stiffness;
    float rest_length = parameters.rest_length;
    SPRING(1, 0, has_next.x);
    SPRING(-1, 0, has_before.x);
    SPRING(0, 1, has_next.y);
    SPRING(0, -1, has_before.y);
    stiffness = parameters.shear_stiffness;
    rest_length = 1.41421356 * parameters.rest_length;
    SPRING(1, 1, has_next.x && has_next.y);
    SPRING(-1, 1, has_before.x && has_next.y);
    SPRING(1, -1, has_next.x && has_before.y);
    SPRING(-1, -1, has_before.x && has_before.y);
    stiffness = parameters.flexion_stiffness;
    rest_length = 2.0 * parameters.rest_length;
    SPRING(2, 0, has_second_next.x);
    SPRING(-2, 0, has_second_before.x);
    SPRING(0, 2, has_second_next.y);
    SPRING(0, -2, has_second_before.y);
#undef SPRING
}

// What a substep is of its step.
struct Substep {
    float start; // share of the step, 0 to 1
    float end;
    uint collider_count;
    float flutter_phase; // rad
};

// Where a free node is next, that is at `position` and was at `previous` a substep ago, under an external force in N.
vec3 next_position(ivec2 coord, int index, vec3 position, vec3 previous, vec3 external_force, Substep substep) {
    vec3 wind = wind_acceleration(position, parameters.wind, parameters.flutter_wave_number, parameters.flutter_lift,
                                  substep.flutter_phase);
    vec3 force = parameters.mass * (parameters.gravity.xyz + wind) + external_force;
    add_springs(force, coord, index, position);
    vec3 velocity = (position - previous) * (1.0 - parameters.damping);
    float h = parameters.substep_dt;
    vec3 next = position + velocity + force * (h * h / parameters.mass);
    // The implicit velocity is what is left of the way, so that colliders stop it and friction slows it with no more to do.
    for (uint i = 0; HAS_COLLIDERS && i < substep.collider_count; ++i) {
        next = collide_one(colliders[i], substep.start, substep.end, position, next).position;
    }
    return next;
}
