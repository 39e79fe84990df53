// The structs that src/layout holds too; the build fails where the two differ.

struct Constraint {
    uint index_a;
    uint index_b;
    float rest_length; // m
    float compliance;  // m/N, 0 is rigid
};

struct LongRange {
    uint anchor;    // index of another particle, or its own
    float distance; // m, at rest
};

struct Hinge {
    uint particles[4]; // the two ends of the edge, and the corners that face it
    float rest_angle;  // rad
    float compliance;  // rad/(N m)
};
