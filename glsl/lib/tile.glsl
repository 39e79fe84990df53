// Whole sweeps over the constraints of a grid in one dispatch: each workgroup takes a tile of it, and enough around that to
// know all that its own nodes depend on. What it finds is in the same bits as the plain path, pbd/predict, pbd/solve and
// pbd/velocity.

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) readonly buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};
layout(std430, binding = 2) writeonly buffer NextPositions {
    vec4 next_positions[];
};
layout(std430, binding = 3) writeonly buffer NextVelocities {
    vec4 next_velocities[];
};
layout(std430, binding = 5) buffer PreviousPositions {
    vec4 previous_positions[];
};

#include "lib/pbd_parameters.glsl"
#include "lib/tile_parameters.glsl"
#include "lib/fused_push.glsl"
#include "lib/flutter_phases.glsl"
#include "lib/constraint.glsl"
#include "lib/predict.glsl"
#include "lib/velocity.glsl"
#include "lib/tile_sweep.glsl"

// Velocities until a substep's positions are predicted, m/s; from then on the positions before, m. Where they are kept, every
// dispatch makes whole substeps.
vec3 motions[BLOCK_NODES];

ivec2 place_in_tile(uint node) {
    return ivec2(2 * lane + node % 2, BLOCK_ROWS * strip + node / 2);
}

ivec2 place_in_grid(uint node) {
    ivec2 own = ivec2(gl_WorkGroupID.xy) * ivec2(OWN_COLUMNS, OWN_ROWS);
    return own - ivec2(HALO_COLUMNS, HALO_ROWS) + place_in_tile(node);
}

bool is_in_grid(ivec2 place) {
    return all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, ivec2(tile.grid_size)));
}

// Whether this tile is the one that writes a node.
bool is_own(uint node) {
    ivec2 place = place_in_tile(node) - ivec2(HALO_COLUMNS, HALO_ROWS);
    bool is_inside = all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, ivec2(OWN_COLUMNS, OWN_ROWS)));
    return is_inside && is_in_grid(place_in_grid(node));
}

uint index_of(uint node) {
    ivec2 place = place_in_grid(node);
    return uint(place.y) * tile.grid_size.x + uint(place.x);
}

void load_nodes() {
    absent = -4.0 * tile.inverse_mass;
    [[unroll]] for (uint node = 0; node < BLOCK_NODES; ++node) {
        nodes[node] = vec3(0.0);
        weights[node] = absent;
        if (KEEPS_MOTIONS) motions[node] = vec3(0.0);
        if (is_in_grid(place_in_grid(node))) {
            uint index = index_of(node);
            vec4 particle = positions[index];
            nodes[node] = particle.xyz;
            weights[node] = particle.w;
            if (KEEPS_MOTIONS) motions[node] = velocities[index].xyz;
        }
    }
}

// Looks up the inverse masses of the nodes around the block.
void load_weights() {
    [[unroll]] for (uint row = 0; row < BLOCK_ROWS; ++row) {
        float left = handed_by(left_neighbour, vec3(weights[2 * row + 1])).x;
        float right = handed_by(right_neighbour, vec3(weights[2 * row])).x;
        left_weights[row] = lane > 0 ? left : absent;
        right_weights[row] = lane + 1 < LANES ? right : absent;
    }
    [[unroll]] for (uint node = 0; node < TOP_NODES; ++node) {
        put_shared(slot_of(strip, lane, node), vec3(weights[node]));
    }
    barrier();
    bool has_below = strip + 1 < STRIPS;
    uint below = min(strip + 1, STRIPS - 1);
    below_weights[0] = has_below && lane > 0 ? get_shared(slot_of(below, max(lane, 1) - 1, 1)).x : absent;
    below_weights[1] = has_below ? get_shared(slot_of(below, lane, 0)).x : absent;
    below_weights[2] = has_below ? get_shared(slot_of(below, lane, 1)).x : absent;
    below_weights[3] =
        has_below && lane + 1 < LANES ? get_shared(slot_of(below, min(lane + 1, LANES - 1), 0)).x : absent;
    below_two_weights[0] = has_below && BENDS ? get_shared(slot_of(below, lane, TOP_NODES - 2)).x : absent;
    below_two_weights[1] = has_below && BENDS ? get_shared(slot_of(below, lane, TOP_NODES - 1)).x : absent;
    barrier();
}

void predict(float flutter_phase) {
    [[unroll]] for (uint node = 0; node < BLOCK_NODES; ++node) {
        vec4 before = vec4(nodes[node], weights[node]);
        if (before.w > 0.0) {
            uint index = index_of(node);
            vec3 velocity = KEEPS_MOTIONS ? motions[node] : velocities[index].xyz;
            velocity = predicted_velocity(index, before, velocity, flutter_phase);
            nodes[node] = predicted_position(before.xyz, velocity);
        }
        if (KEEPS_MOTIONS) motions[node] = before.xyz;
        else if (push.finishes == 0 && is_own(node)) previous_positions[index_of(node)] = before;
    }
}

void finish() {
    [[unroll]] for (uint node = 0; node < BLOCK_NODES; ++node) {
        if (KEEPS_MOTIONS) {
            motions[node] = velocity_of(nodes[node], motions[node]);
        } else if (is_own(node)) {
            uint index = index_of(node);
            vec3 before = push.predicts != 0 ? positions[index].xyz : previous_positions[index].xyz;
            next_velocities[index] = vec4(velocity_of(nodes[node], before), 0.0);
        }
    }
}

void store_nodes() {
    [[unroll]] for (uint node = 0; node < BLOCK_NODES; ++node) {
        if (is_own(node)) {
            uint index = index_of(node);
            next_positions[index] = vec4(nodes[node], weights[node]);
            if (KEEPS_MOTIONS) next_velocities[index] = vec4(motions[node], 0.0);
        }
    }
}

void main() {
    take_place();
    load_families();
    load_nodes();
    load_weights();
    for (uint substep = 0; substep < push.substeps; ++substep) {
        if (push.predicts != 0) predict(flutter_phases[push.first_substep + substep]);
        for (uint number = 0; number < push.sweeps; ++number) sweep();
        if (push.finishes != 0) finish();
    }
    store_nodes();
}
