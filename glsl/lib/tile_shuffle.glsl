// Neighbours in a strip hand each other nodes by shuffles: a strip lies within a subgroup, of which all invocations are there.

void take_place() {
    uint index = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    lane = index % LANES;
    strip = index / LANES;
    left_neighbour = (gl_SubgroupInvocationID + gl_SubgroupSize - 1) % gl_SubgroupSize;
    right_neighbour = (gl_SubgroupInvocationID + 1) % gl_SubgroupSize;
}

// What the neighbour gives.
vec3 handed_by(uint neighbour, vec3 value) {
    return subgroupShuffle(value, neighbour);
}
