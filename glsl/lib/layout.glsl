// The structs that src/layout holds too; the build fails where the two differ.

struct Constraint {
    uint index_a;
    uint index_b;
    float rest_length; // m
    float compliance;  // m/N, 0 is rigid
};
