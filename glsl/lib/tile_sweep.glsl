// One pass over all constraints of a tile, batch by batch as pbd/solve goes over those of the whole grid: in the order of
// Cloth::from_grid, and with the same functions, so that it ends in the same bits. Within a batch no two share a node.

// Inverse mass of what lies beyond the grid or the tile: constraints with it do nothing.
float absent;

// Of each node of the block, row by row, left and right.
vec3 nodes[BLOCK_NODES];
float weights[BLOCK_NODES];
// Inverse masses of the nodes beside and below the block that constraints join with it.
float left_weights[BLOCK_ROWS];
float right_weights[BLOCK_ROWS];
float below_weights[4];     // one column to the left, own two, one to the right
float below_two_weights[2]; // of the row below that

struct Family {
    float rest_length;  // m
    float yield_of_two; // of a constraint whose nodes are both free
    float yield_of_one;
};

Family family_of(uint index) {
    float alpha = scaled_compliance(tile.families[index].y, parameters.substep_dt);
    float rest_length = parameters.elongation * tile.families[index].x;
    float mass = tile.inverse_mass;
    return Family(rest_length, distance_yield(mass + mass, alpha), distance_yield(mass, alpha));
}

Family across;
Family down;
Family diagonal;
Family across_two;
Family down_two;

void load_families() {
    across = family_of(FAMILY_ACROSS);
    down = family_of(FAMILY_DOWN);
    diagonal = family_of(FAMILY_DIAGONAL);
    across_two = family_of(FAMILY_ACROSS_TWO);
    down_two = family_of(FAMILY_DOWN_TWO);
}

vec3 correction_of(Family family, vec3 a, float weight_a, vec3 b, float weight_b) {
    float sum = weight_a + weight_b;
    float yield_of = sum > 1.5 * tile.inverse_mass ? family.yield_of_two : family.yield_of_one;
    if (sum <= 0.0) yield_of = 0.0;
    // Each iteration is the first of its substep or of a rigid constraint: lambda is 0, or has no part in it.
    float lambda = 0.0;
    return distance_correction(a - b, family.rest_length, yield_of, 0.0, lambda);
}

// A constraint within the block.
void solve(Family family, inout vec3 a, float weight_a, inout vec3 b, float weight_b) {
    vec3 correction = correction_of(family, a, weight_a, b, weight_b);
    a = corrected(a, weight_a, correction);
    b = corrected(b, -weight_b, correction);
}

// Constraints from node `a` of each block to the node of the block to its right that has the place of `b`; `weight_other` is
// the inverse mass of that.
void solve_right(Family family, inout vec3 a, float weight_a, inout vec3 b, float weight_b, float weight_other) {
    vec3 correction = correction_of(family, a, weight_a, handed_by(right_neighbour, b), weight_other);
    a = corrected(a, weight_a, correction);
    // The last block of a strip has nobody to its right, and hands on nothing.
    b = corrected(b, -weight_b, handed_by(left_neighbour, correction));
}

// The same to the block to the left.
void solve_left(Family family, inout vec3 a, float weight_a, inout vec3 b, float weight_b, float weight_other) {
    vec3 correction = correction_of(family, a, weight_a, handed_by(left_neighbour, b), weight_other);
    a = corrected(a, weight_a, correction);
    b = corrected(b, -weight_b, handed_by(right_neighbour, correction));
}

// Where node `node` on top of a block is in shared memory.
uint slot_of(uint strip_of, uint lane_of, uint node) {
    return (node * STRIPS + strip_of) * LANES + lane_of;
}

// Gives the nodes on top of each block to the strip above it, and takes them back.
void give_top() {
    [[unroll]] for (uint node = 0; node < TOP_NODES; ++node) put_shared(slot_of(strip, lane, node), nodes[node]);
    barrier();
}

void take_top() {
    barrier();
    [[unroll]] for (uint node = 0; node < TOP_NODES; ++node) nodes[node] = get_shared(slot_of(strip, lane, node));
}

// A constraint from a node of the block to one of the strip below.
void solve_below(Family family, inout vec3 a, float weight_a, uint slot, float weight_b) {
    vec3 b = get_shared(slot);
    vec3 correction = correction_of(family, a, weight_a, b, weight_b);
    a = corrected(a, weight_a, correction);
    put_shared(slot, corrected(b, -weight_b, correction));
}

#define NODE(index) nodes[index], weights[index]

void sweep_across() {
    [[unroll]] for (uint row = 0; row < BLOCK_ROWS; ++row) solve(across, NODE(2 * row), NODE(2 * row + 1));
    [[unroll]] for (uint row = 0; row < BLOCK_ROWS; ++row) {
        solve_right(across, NODE(2 * row + 1), NODE(2 * row), right_weights[row]);
    }
}

void sweep_down() {
    [[unroll]] for (uint row = 0; row < BLOCK_ROWS; row += 2) {
        solve(down, NODE(2 * row), NODE(2 * row + 2));
        solve(down, NODE(2 * row + 1), NODE(2 * row + 3));
    }
    [[unroll]] for (uint row = 1; row + 1 < BLOCK_ROWS; row += 2) {
        solve(down, NODE(2 * row), NODE(2 * row + 2));
        solve(down, NODE(2 * row + 1), NODE(2 * row + 3));
    }
}

void sweep_right_down() {
    [[unroll]] for (uint row = 0; row < BLOCK_ROWS; row += 2) {
        solve(diagonal, NODE(2 * row), NODE(2 * row + 3));
        solve_right(diagonal, NODE(2 * row + 1), NODE(2 * row + 2), right_weights[row + 1]);
    }
    [[unroll]] for (uint row = 1; row + 1 < BLOCK_ROWS; row += 2) {
        solve(diagonal, NODE(2 * row), NODE(2 * row + 3));
        solve_right(diagonal, NODE(2 * row + 1), NODE(2 * row + 2), right_weights[row + 1]);
    }
}

void sweep_left_down() {
    [[unroll]] for (uint row = 0; row < BLOCK_ROWS; row += 2) {
        solve(diagonal, NODE(2 * row + 1), NODE(2 * row + 2));
        solve_left(diagonal, NODE(2 * row), NODE(2 * row + 3), left_weights[row + 1]);
    }
    [[unroll]] for (uint row = 1; row + 1 < BLOCK_ROWS; row += 2) {
        solve(diagonal, NODE(2 * row + 1), NODE(2 * row + 2));
        solve_left(diagonal, NODE(2 * row), NODE(2 * row + 3), left_weights[row + 1]);
    }
}

// Constraints over two columns: lanes in turn, each with the one to its right.
void bend_across(uint parity) {
    bool is_first = lane % 2 == parity;
    uint partner = is_first ? right_neighbour : left_neighbour;
    bool has_partner = is_first ? lane + 1 < LANES : lane > 0;
    [[unroll]] for (uint node = 0; node < BLOCK_NODES; ++node) {
        vec3 other = handed_by(partner, nodes[node]);
        float weight_other = handed_by(partner, vec3(weights[node])).x;
        if (!has_partner) weight_other = absent;
        vec3 a = is_first ? nodes[node] : other;
        vec3 b = is_first ? other : nodes[node];
        vec3 correction = correction_of(across_two, a, weights[node], b, weight_other);
        nodes[node] = corrected(nodes[node], is_first ? weights[node] : -weights[node], correction);
    }
}

// Constraints over two rows: rows in pairs, each with the one two rows on; the last pair of a block with the strip below.
void bend_down() {
    [[unroll]] for (uint row = 0; row + 2 < BLOCK_ROWS; row += 4) {
        [[unroll]] for (uint node = 0; node < 4; ++node) solve(down_two, NODE(2 * row + node), NODE(2 * row + node + 4));
    }
    [[unroll]] for (uint row = 2; row + 2 < BLOCK_ROWS; row += 4) {
        [[unroll]] for (uint node = 0; node < 4; ++node) solve(down_two, NODE(2 * row + node), NODE(2 * row + node + 4));
    }
}

// A pass over all constraints. Nodes at the edge of the tile soon miss what they depend on; to leave them out would cost more
// than it saves.
void sweep() {
    bool has_below = strip + 1 < STRIPS;
    const uint last = BLOCK_NODES - 2; // left node of the last row
    uint below = strip + 1;

    sweep_across();
    sweep_down();
    give_top();
    if (has_below) {
        solve_below(down, NODE(last), slot_of(below, lane, 0), below_weights[1]);
        solve_below(down, NODE(last + 1), slot_of(below, lane, 1), below_weights[2]);
    }
    take_top();

    sweep_right_down();
    give_top();
    if (has_below) {
        solve_below(diagonal, NODE(last), slot_of(below, lane, 1), below_weights[2]);
        if (lane + 1 < LANES) solve_below(diagonal, NODE(last + 1), slot_of(below, lane + 1, 0), below_weights[3]);
    }
    take_top();

    sweep_left_down();
    give_top();
    if (has_below) {
        solve_below(diagonal, NODE(last + 1), slot_of(below, lane, 0), below_weights[1]);
        if (lane > 0) solve_below(diagonal, NODE(last), slot_of(below, lane - 1, 1), below_weights[0]);
    }
    take_top();

    if (!BENDS) return;
    bend_across(0);
    bend_across(1);
    bend_down();
    give_top();
    if (has_below) {
        solve_below(down_two, NODE(last - 2), slot_of(below, lane, 0), below_weights[1]);
        solve_below(down_two, NODE(last - 1), slot_of(below, lane, 1), below_weights[2]);
        solve_below(down_two, NODE(last), slot_of(below, lane, 2), below_two_weights[0]);
        solve_below(down_two, NODE(last + 1), slot_of(below, lane, 3), below_two_weights[1]);
    }
    take_top();
}
