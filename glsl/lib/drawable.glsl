// Whether a place can be drawn and lit: it is a number, and not so large that the squares of areas are none. By its bits, for
// compilers may take it that all numbers are.
bool is_drawable(vec3 place) {
    return all(lessThan(floatBitsToUint(place) & 0x7fffffff, uvec3(floatBitsToUint(1e9)))); // m
}
