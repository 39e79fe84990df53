// Keeps where the particles are before a step, to draw what lies between it and the step's end.

layout(local_size_x = 256) in;

layout(std430, binding = 1) writeonly buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= previous_positions.length()) return;
    previous_positions[index] = vec4(current_position(index), 0.0);
}
