// What holds for every kernel of one step; binding 4 of each pbd kernel.

layout(std140, binding = 4) uniform PbdParameters {
    vec4 gravity;              // xyz: m/s^2
    vec4 wind;                 // xyz: mean acceleration, w: amplitude of its flutter, m/s^2
    float flutter_wave_number; // rad/m
    float flutter_lift;        // share of the flutter that lifts
    float substep_dt;          // s
    float damping;             // 1/s
    uint particle_count;
    float elongation;          // factor on the rest lengths
    uint has_forces;           // whether there are external forces on particles
} parameters;
