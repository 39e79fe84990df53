// Keeps where the particles are before a step, to draw what lies between it and the step's end; the place before that of those
// that cannot be drawn.

layout(local_size_x = 256) in;

#include "lib/drawable.glsl"
#include "lib/element.glsl"

layout(std430, binding = 1) writeonly buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

void main() {
    uint index = element_index();
    if (index >= previous_positions.length()) return;
    vec3 current = current_position(index);
    if (is_drawable(current)) previous_positions[index] = vec4(current, 0.0);
}
