// A vertex of a rope's surface: a ring of them around each particle.

#include "lib/particle_planes.glsl"
#include "lib/particle_drawn.glsl"

const uint SIDES = 8;

struct Frame {
    vec4 normal;  // xyz: unit vector at right angles to the tangent; w: m, how far along the rope
    vec4 tangent; // xyz: unit vector along the rope; w: how far it is stretched there, 0.01 for 1 %
};

layout(std430, binding = 1) readonly buffer Frames {
    Frame frames[];
};

layout(push_constant) uniform RopeViewPush {
    float radius;    // m
} push;

// Unit vector from the particle to the vertex.
vec3 outward(uint vertex) {
    Frame frame = frames[vertex / SIDES];
    float angle = 6.28318531 * float(vertex % SIDES) / float(SIDES);
    return cos(angle) * frame.normal.xyz + sin(angle) * cross(frame.tangent.xyz, frame.normal.xyz);
}
