// Neighbours in a strip hand each other nodes through shared memory: on any device.

const bool SKIPS_STRIPS = false; // all invocations have to come to the barriers

void take_place() {
    uint index = gl_LocalInvocationIndex;
    lane = index % LANES;
    strip = index / LANES;
    left_neighbour = max(index, 1) - 1;
    right_neighbour = min(index + 1, LANES * STRIPS - 1);
}

// What the neighbour gives.
vec3 handed_by(uint neighbour, vec3 value) {
    put_shared(gl_LocalInvocationIndex, value);
    barrier();
    vec3 handed = get_shared(neighbour);
    barrier();
    return handed;
}
