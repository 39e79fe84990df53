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
Family families[5];

Family family_of(uint index) {
    float alpha = scaled_compliance(tile.families[index].y, parameters.substep_dt);
    float rest_length = parameters.elongation * tile.families[index].x;
    float mass = tile.inverse_mass;
    return Family(rest_length, distance_yield(mass + mass, alpha), distance_yield(mass, alpha));
}

vec3 correction_of(Family family, vec3 a, float weight_a, vec3 b, float weight_b) {
    float sum = weight_a + weight_b;
    float yield_of = sum > 1.5 * tile.inverse_mass ? family.yield_of_two : family.yield_of_one;
    if (sum <= 0.0) yield_of = 0.0;
    // Each iteration is the first of its substep or of a rigid constraint: lambda is 0, or has no part in it.
    float lambda = 0.0;
    return distance_correction(a - b, family.rest_length, yield_of, 0.0, lambda);
}

// A constraint from node a of the block to its node b.
void solve_within(Family family, uint a, uint b) {
    vec3 correction = correction_of(family, nodes[a], weights[a], nodes[b], weights[b]);
    nodes[a] = corrected(nodes[a], weights[a], correction);
    nodes[b] = corrected(nodes[b], -weights[b], correction);
}

// Constraints from node a of each block to node b of the block to its right, of inverse mass `weight_b`.
void solve_right(Family family, uint a, uint b, float weight_b) {
    vec3 correction = correction_of(family, nodes[a], weights[a], handed_by(right_neighbour, nodes[b]), weight_b);
    nodes[a] = corrected(nodes[a], weights[a], correction);
    vec3 from_left = handed_by(left_neighbour, correction);
    if (lane > 0) nodes[b] = corrected(nodes[b], -weights[b], from_left);
}

// Constraints from node a of each block to node b of the block to its left.
void solve_left(Family family, uint a, uint b, float weight_b) {
    vec3 correction = correction_of(family, nodes[a], weights[a], handed_by(left_neighbour, nodes[b]), weight_b);
    nodes[a] = corrected(nodes[a], weights[a], correction);
    vec3 from_right = handed_by(right_neighbour, correction);
    if (lane + 1 < LANES) nodes[b] = corrected(nodes[b], -weights[b], from_right);
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

// A constraint from node a of the block to a node of the strip below, of inverse mass `weight_b`.
void solve_below(Family family, uint a, uint slot, float weight_b) {
    vec3 b = get_shared(slot);
    vec3 correction = correction_of(family, nodes[a], weights[a], b, weight_b);
    nodes[a] = corrected(nodes[a], weights[a], correction);
    put_shared(slot, corrected(b, -weight_b, correction));
}

// Constraints of two columns of lanes in turn, each lane's nodes with those of the lane two columns on.
void bend_across(uint parity) {
    bool is_first = lane % 2 == parity;
    uint partner = is_first ? right_neighbour : left_neighbour;
    bool has_partner = is_first ? lane + 1 < LANES : lane > 0;
    [[unroll]] for (uint node = 0; node < BLOCK_NODES; ++node) {
        vec3 other = handed_by(partner, nodes[node]);
        float other_weight = handed_by(partner, vec3(weights[node])).x;
        if (!has_partner) other_weight = absent;
        vec3 a = is_first ? nodes[node] : other;
        vec3 b = is_first ? other : nodes[node];
        vec3 correction = correction_of(families[FAMILY_ACROSS_TWO], a, weights[node], b, other_weight);
        nodes[node] = corrected(nodes[node], is_first ? weights[node] : -weights[node], correction);
    }
}

// A pass over all constraints. A strip that has no part in what the tile ends in leaves them out.
void sweep(bool takes_part) {
    bool has_below = takes_part && strip + 1 < STRIPS;
    uint last = BLOCK_NODES - 2; // left node of the last row
    uint below = strip + 1;
    Family across = families[FAMILY_ACROSS];
    Family down = families[FAMILY_DOWN];
    Family diagonal = families[FAMILY_DIAGONAL];

    if (takes_part) {
        [[unroll]] for (uint row = 0; row < BLOCK_ROWS; ++row) solve_within(across, 2 * row, 2 * row + 1);
        [[unroll]] for (uint row = 0; row < BLOCK_ROWS; ++row) {
            solve_right(across, 2 * row + 1, 2 * row, right_weights[row]);
        }
        [[unroll]] for (uint parity = 0; parity < 2; ++parity) {
            [[unroll]] for (uint row = parity; row + 1 < BLOCK_ROWS; row += 2) {
                solve_within(down, 2 * row, 2 * row + 2);
                solve_within(down, 2 * row + 1, 2 * row + 3);
            }
        }
    }
    give_top();
    if (has_below) {
        solve_below(down, last, slot_of(below, lane, 0), below_weights[1]);
        solve_below(down, last + 1, slot_of(below, lane, 1), below_weights[2]);
    }
    take_top();

    if (takes_part) {
        [[unroll]] for (uint parity = 0; parity < 2; ++parity) {
            [[unroll]] for (uint row = parity; row + 1 < BLOCK_ROWS; row += 2) {
                solve_within(diagonal, 2 * row, 2 * row + 3);
                solve_right(diagonal, 2 * row + 1, 2 * row + 2, right_weights[row + 1]);
            }
        }
    }
    give_top();
    if (has_below) {
        solve_below(diagonal, last, slot_of(below, lane, 1), below_weights[2]);
        if (lane + 1 < LANES) solve_below(diagonal, last + 1, slot_of(below, lane + 1, 0), below_weights[3]);
    }
    take_top();

    if (takes_part) {
        [[unroll]] for (uint parity = 0; parity < 2; ++parity) {
            [[unroll]] for (uint row = parity; row + 1 < BLOCK_ROWS; row += 2) {
                solve_within(diagonal, 2 * row + 1, 2 * row + 2);
                solve_left(diagonal, 2 * row, 2 * row + 3, left_weights[row + 1]);
            }
        }
    }
    give_top();
    if (has_below) {
        solve_below(diagonal, last + 1, slot_of(below, lane, 0), below_weights[1]);
        if (lane > 0) solve_below(diagonal, last, slot_of(below, lane - 1, 1), below_weights[0]);
    }
    take_top();

    if (!BENDS) return;
    if (takes_part) {
        bend_across(0);
        bend_across(1);
        // Rows in pairs, each with the one two rows on; the last pair of a block with the strip below.
        [[unroll]] for (uint parity = 0; parity < 2; ++parity) {
            [[unroll]] for (uint row = 2 * parity; row + 2 < BLOCK_ROWS; row += 4) {
                [[unroll]] for (uint node = 2 * row; node < 2 * row + 4; ++node) {
                    solve_within(families[FAMILY_DOWN_TWO], node, node + 4);
                }
            }
        }
    }
    give_top();
    if (has_below) {
        [[unroll]] for (uint node = 0; node < 4; ++node) {
            float weight = node < 2 ? below_weights[node + 1] : below_two_weights[node - 2];
            solve_below(families[FAMILY_DOWN_TWO], BLOCK_NODES - 4 + node, slot_of(below, lane, node), weight);
        }
    }
    take_top();
}
