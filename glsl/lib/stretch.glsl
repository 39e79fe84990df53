// How far a surface is stretched against its rest shape.

// The largest extension in any direction, 0.01 for 1 %, of the triangle that a fragment lies on; below 0 where it is
// shorter in all directions. The Gram matrices of both shapes' derivatives across the screen are W and R, and the squares of
// the principal stretches are the eigenvalues of W times the inverse of R.
float largest_stretch(vec3 world_position, vec3 rest_position) {
    vec3 world_x = dFdx(world_position);
    vec3 world_y = dFdy(world_position);
    vec3 rest_x = dFdx(rest_position);
    vec3 rest_y = dFdy(rest_position);
    mat2 world = mat2(dot(world_x, world_x), dot(world_x, world_y), dot(world_x, world_y), dot(world_y, world_y));
    mat2 rest = mat2(dot(rest_x, rest_x), dot(rest_x, rest_y), dot(rest_x, rest_y), dot(rest_y, rest_y));
    float area = determinant(rest);
    if (area <= 0.0) return 0.0;
    mat2 adjugate = mat2(rest[1][1], -rest[0][1], -rest[1][0], rest[0][0]);
    mat2 squared = world * adjugate / area;
    float mean = 0.5 * (squared[0][0] + squared[1][1]);
    return sqrt(mean + sqrt(max(mean * mean - determinant(squared), 0.0))) - 1.0;
}
