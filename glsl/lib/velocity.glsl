// The velocity of a particle after a substep: v = (x* - x) / h.
vec3 velocity_of(vec3 position, vec3 previous_position) {
    return (position - previous_position) / parameters.substep_dt;
}
