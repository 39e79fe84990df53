// Rotations, and what lies between two of them.

vec3 rotate(vec4 quaternion, vec3 vector) {
    return vector + 2.0 * cross(quaternion.xyz, cross(quaternion.xyz, vector) + quaternion.w * vector);
}

vec3 rotate_back(vec4 quaternion, vec3 vector) {
    return rotate(vec4(-quaternion.xyz, quaternion.w), vector);
}

// The rotation at a share of the way from one to another, along the shorter of the two arcs between them.
vec4 rotation_between(vec4 from, vec4 to, float share) {
    float side = dot(from, to) < 0.0 ? -1.0 : 1.0;
    return normalize(mix(from, side * to, share));
}
