#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// Several substeps of mass-spring Verlet on buffers. A workgroup has a tile of the grid, which it reads with as many nodes
// around it as can act on it meanwhile, two a substep; it moves them in shared memory and writes its own. Each substep
// moves those that can still act on the tile. The constants are those of src/solver/verlet_tile.rs.

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 1) const int TILE_COLUMNS = 8;
layout(constant_id = 2) const int TILE_ROWS = 8;
layout(constant_id = 3) const int TILE_SUBSTEPS = 2; // at most in one dispatch
layout(constant_id = 4) const bool HAS_COLLIDERS = true;

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg; row by row
};
// The positions a substep before those.
layout(std430, binding = 1) readonly buffer PreviousPositions {
    vec4 previous_positions[];
};
// The same after all substeps of the dispatch.
layout(std430, binding = 2) writeonly buffer NextPositions {
    vec4 next_positions[];
};
layout(std430, binding = 4) writeonly buffer NextPreviousPositions {
    vec4 next_previous_positions[];
};

#include "lib/verlet.glsl"
#include "lib/flutter_phases.glsl"

const int MOST_TILE_SUBSTEPS = 8;

layout(push_constant) uniform VerletTilePush {
    float shares[MOST_TILE_SUBSTEPS + 1]; // of the step, 0 to 1, where each substep starts and the last one ends
    uint first_substep; // number of the first one within its step
    uint collider_count;
    int substep_count;
} push;

const int HALO = 2 * TILE_SUBSTEPS;
const int SHARED_COLUMNS = TILE_COLUMNS + 2 * HALO;
const int SHARED_NODES = SHARED_COLUMNS * (TILE_ROWS + 2 * HALO);
const int FAR = 0x7fffffff;

// Positions now and a substep before, which take turns.
shared vec4 nodes[2 * SHARED_NODES];

vec3 neighbour_position(ivec2 coord, int index, ivec2 offset, bool exists) {
    return nodes[exists ? index + offset.y * SHARED_COLUMNS + offset.x : index].xyz;
}

// Where in the grid a node of shared memory is.
ivec2 coord_of(int node) {
    ivec2 tile = ivec2(gl_WorkGroupID.xy) * ivec2(TILE_COLUMNS, TILE_ROWS);
    return tile - HALO + ivec2(node % SHARED_COLUMNS, node / SHARED_COLUMNS);
}

// How many nodes it is from the tile, 0 or less within it; FAR where the grid has no such node.
int way_from_tile(ivec2 coord) {
    if (any(lessThan(coord, ivec2(0))) || any(greaterThanEqual(coord, parameters.grid_size))) return FAR;
    ivec2 tile = ivec2(gl_WorkGroupID.xy) * ivec2(TILE_COLUMNS, TILE_ROWS);
    ivec2 beyond = max(tile - coord, coord - tile - ivec2(TILE_COLUMNS, TILE_ROWS) + 1);
    return max(beyond.x, beyond.y);
}

int grid_index(ivec2 coord) {
    return coord.y * parameters.grid_size.x + coord.x;
}

void main() {
    int lane = int(gl_LocalInvocationID.x);
    int lanes = int(gl_WorkGroupSize.x);
    for (int node = lane; node < SHARED_NODES; node += lanes) {
        ivec2 coord = coord_of(node);
        if (way_from_tile(coord) > 2 * push.substep_count) continue;
        nodes[node] = positions[grid_index(coord)];
        nodes[SHARED_NODES + node] = previous_positions[grid_index(coord)];
    }
    for (int substep = 0; substep < push.substep_count; ++substep) {
        barrier();
        int now = (substep & 1) * SHARED_NODES;
        int other = SHARED_NODES - now;
        int substeps_after = push.substep_count - 1 - substep;
        Substep pushed = Substep(push.shares[substep], push.shares[substep + 1], push.collider_count,
                                 flutter_phases[push.first_substep + substep]);
        for (int node = lane; node < SHARED_NODES; node += lanes) {
            ivec2 coord = coord_of(node);
            if (way_from_tile(coord) > 2 * substeps_after) continue;
            vec4 current = nodes[now + node];
            vec4 next = current;
            if (current.w != 0.0) {
                vec3 previous = nodes[other + node].xyz;
                next.xyz = next_position(coord, now + node, current.xyz, previous, vec3(0.0), pushed);
            }
            if (substeps_after > 0) {
                nodes[other + node] = next;
            } else {
                next_positions[grid_index(coord)] = next;
                next_previous_positions[grid_index(coord)] = current;
            }
        }
    }
}
