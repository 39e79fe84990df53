// External forces on particles, where there are any.

layout(std430, binding = 9) readonly buffer Forces {
    vec4 forces[]; // xyz: N
};
