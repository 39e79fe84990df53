// Where a particle is drawn: between its place before the last step and its place after it. One whose place is no number stays
// where it was kept last.

#include "lib/drawable.glsl"
#include "lib/view_parameters.glsl"

layout(std430, binding = 7) readonly buffer PreviousPositions {
    vec4 previous_positions[]; // xyz: m
};

vec3 last_position(uint index) {
    vec3 current = current_position(index);
    return is_drawable(current) ? current : previous_positions[index].xyz;
}

vec3 particle_position(uint index) {
    vec3 current = last_position(index);
    // At the end of the step, the same bits.
    return view.alpha < 1.0 ? mix(previous_positions[index].xyz, current, view.alpha) : current;
}

// m/s, over the step.
float particle_speed(uint index) {
    return distance(last_position(index), previous_positions[index].xyz) / view.step_dt;
}
