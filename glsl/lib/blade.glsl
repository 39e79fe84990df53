// A flat blade that goes through a cloth at once, and whether it meets the way between two particles.

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m
};

layout(push_constant) uniform CutPush {
    vec4 origin; // xyz: m, a point of the blade's plane where its stroke begins
    vec4 normal; // of its plane
    vec4 along;  // xyz: 1/m, its product with a way from the origin is 0 where the stroke begins and 1 where it ends
    uint count;  // of what is cut
    uint padding[3];
} push;

// The lower index comes first, so that a constraint and the triangles at its sides agree to the last bit.
bool is_cut(uint first, uint second) {
    vec3 a = positions[min(first, second)].xyz - push.origin.xyz;
    vec3 b = positions[max(first, second)].xyz - push.origin.xyz;
    float height_a = dot(push.normal.xyz, a);
    float height_b = dot(push.normal.xyz, b);
    if ((height_a < 0.0) == (height_b < 0.0)) return false;
    float place = dot(push.along.xyz, mix(a, b, height_a / (height_a - height_b)));
    return place >= 0.0 && place <= 1.0;
}
