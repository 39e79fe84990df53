// Neighbours in a strip hand each other nodes through shared memory: on any device.

void take_place() {
    uint index = gl_LocalInvocationIndex;
    lane = index % LANES;
    strip = index / LANES;
    left_neighbour = (index + LANES * STRIPS - 1) % (LANES * STRIPS);
    right_neighbour = (index + 1) % (LANES * STRIPS);
}

// What the neighbour gives.
vec3 handed_by(uint neighbour, vec3 value) {
    put_shared(gl_LocalInvocationIndex, value);
    barrier();
    vec3 handed = get_shared(neighbour);
    barrier();
    return handed;
}
