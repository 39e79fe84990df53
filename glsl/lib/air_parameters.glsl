// What holds for the force of the air on every particle.

layout(std140, binding = 4) uniform AirParameters {
    vec4 velocity; // xyz: m/s, of the air
    float density; // kg/m^3
    float drag;    // coefficients
    float lift;
    float substep_dt; // s
    uint particle_count;
    float particle_mass; // kg, of each particle that has no inverse mass of its own
} air;
