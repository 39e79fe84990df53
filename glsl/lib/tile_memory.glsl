// How a tile of a grid is divided among the invocations of a workgroup, and what these share.
//
// Each invocation keeps a block of the tile in its registers: two columns, of `BLOCK_ROWS` rows. `LANES` of them lie side by
// side in a strip, and `STRIPS` strips lie below each other. Neighbours in a strip hand each other nodes as tile_shared.glsl
// or tile_shuffle.glsl says; the nodes on top of a strip are handed to the strip above it through shared memory.

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 8;
layout(constant_id = 2) const uint STRIPS = 16;
layout(constant_id = 3) const uint BLOCK_ROWS = 4;
layout(constant_id = 4) const uint HALO_COLUMNS = 8; // on each side, of what a tile reads but does not write
layout(constant_id = 5) const uint HALO_ROWS = 12;
layout(constant_id = 6) const uint TOP_ROWS = 2; // of each block, that constraints join with the strip above it

// Whether a dispatch goes from substep to substep, and keeps what it needs of one for the next in registers.
layout(constant_id = 7) const bool KEEPS_MOTIONS = true;

const uint BLOCK_NODES = 2 * BLOCK_ROWS;
const uint TILE_COLUMNS = 2 * LANES;
const uint TILE_ROWS = BLOCK_ROWS * STRIPS;
const uint OWN_COLUMNS = TILE_COLUMNS - 2 * HALO_COLUMNS;
const uint OWN_ROWS = TILE_ROWS - 2 * HALO_ROWS;
const uint TOP_NODES = 2 * TOP_ROWS;
const bool BENDS = TOP_ROWS == 2; // whether there are constraints over two cells

shared float shared_x[TOP_NODES * LANES * STRIPS];
shared float shared_y[TOP_NODES * LANES * STRIPS];
shared float shared_z[TOP_NODES * LANES * STRIPS];

vec3 get_shared(uint slot) {
    return vec3(shared_x[slot], shared_y[slot], shared_z[slot]);
}

void put_shared(uint slot, vec3 value) {
    shared_x[slot] = value.x;
    shared_y[slot] = value.y;
    shared_z[slot] = value.z;
}

// Of this invocation, and of its neighbours in the strip, in a ring of all: the ends of a strip have another's in place of one.
uint lane;
uint strip;
uint left_neighbour;
uint right_neighbour;
