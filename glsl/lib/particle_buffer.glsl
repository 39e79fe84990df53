// Particles of a solver that keeps them in a buffer.

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m; w: inverse mass, 0 where held
};

vec3 current_position(uint index) {
    return positions[index].xyz;
}

bool current_held(uint index) {
    return positions[index].w == 0.0;
}
