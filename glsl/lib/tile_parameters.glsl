// What the kernels of tiles know of a grid.

layout(std140, binding = 8) uniform TileParameters {
    uvec2 grid_size;    // columns, rows
    float inverse_mass; // 1/kg, of each node that is not held
    vec4 families[5];   // x: rest length, m, y: compliance, m/N, of the constraints of each FAMILY
} tile;

const uint FAMILY_ACROSS = 0;
const uint FAMILY_DOWN = 1;
const uint FAMILY_DIAGONAL = 2;
const uint FAMILY_ACROSS_TWO = 3; // bending
const uint FAMILY_DOWN_TWO = 4;
