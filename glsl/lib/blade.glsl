// A flat blade that goes through a cloth at once, and whether it meets the way between two particles.

layout(std430, binding = 0) readonly buffer Positions {
    vec4 positions[]; // xyz: m
};

layout(push_constant) uniform CutPush {
    vec4 origin; // xyz: m, a point of the blade's plane where its stroke begins
    vec4 normal; // of its plane
    vec4 along;  // xyz: its product with a way from the origin is 0 where the stroke begins, and the depth where it ends
    vec4 depth;  // of a way from the origin: the product with xyz, plus w
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
    vec3 met = mix(a, b, height_a / (height_a - height_b));
    float place = dot(push.along.xyz, met);
    return place >= 0.0 && place <= dot(push.depth.xyz, met) + push.depth.w;
}
