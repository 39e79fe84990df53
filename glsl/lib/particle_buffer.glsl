// Particles of a solver that keeps them in a buffer.

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m
};

vec3 current_position(uint index) {
    return positions[index].xyz;
}
