// The smooth curve on which a coarse level draws the particles that it leaves out.

// A place on it, as a sum of weighted particles: the same weights give where the curve is now and where it was before.
struct CurvePlace {
    uvec4 particles;
    vec4 weights;
};

// Of the particles 0 to `last` only every `stride`th is a node, and the last one. Between two nodes lies a cubic in
// Hermite form, whose slope at a node is that of the parabola through it and its neighbours, and at an end of the rope
// that of the chord: Bessel tangents, for links of the last particle may be fewer. Source: de Boor, "A Practical Guide to
// Splines", chapter IV.
CurvePlace curve_place(uint index, uint stride, uint last) {
    uint start = index / stride * stride;
    uint end = min(start + stride, last);
    uint before = start >= stride ? start - stride : start;
    uint after = min(end + stride, last);
    // In links, which all are as long.
    float size = float(end - start);
    float left = float(start - before);
    float right = float(after - end);
    const vec4 chord = vec4(0.0, -1.0, 1.0, 0.0);
    vec4 start_slope = chord;
    if (left > 0.0) start_slope = (size * size / left * vec4(-1.0, 1.0, 0.0, 0.0) + left * chord) / (left + size);
    vec4 end_slope = chord;
    if (right > 0.0) end_slope = (size * size / right * vec4(0.0, 0.0, -1.0, 1.0) + right * chord) / (right + size);
    float t = float(index - start) / size;
    float back = 1.0 - t;
    vec4 ends = vec4(0.0, (1.0 + 2.0 * t) * back * back, t * t * (3.0 - 2.0 * t), 0.0);
    vec4 weights = ends + t * back * (back * start_slope - t * end_slope);
    return CurvePlace(uvec4(before, start, end, after), weights);
}
