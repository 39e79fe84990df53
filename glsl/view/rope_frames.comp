#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_planes.glsl"
#include "lib/particle_drawn.glsl"

// How the rings of a rope are turned: a frame a particle, carried along the rope without twist. One invocation a rope.

layout(local_size_x = 64) in;

struct Frame {
    vec4 normal;  // xyz: unit vector at right angles to the tangent; w: m, how far along the rope
    vec4 tangent; // xyz: unit vector along the rope; w: how far it is stretched there, 0.01 for 1 %
};

struct RopeRange {
    uint first; // of its particles
    uint particle_count;
    float link_length; // m, at rest
    uint padding;
};

layout(std430, binding = 1) writeonly buffer Frames {
    Frame frames[];
};
layout(std430, binding = 2) readonly buffer RopeRanges {
    RopeRange rope_ranges[];
};

vec3 tangent_at(uint index, uint first, uint last, vec3 otherwise) {
    vec3 way = particle_position(min(index + 1, last)) - particle_position(index > first ? index - 1 : first);
    float size = length(way);
    return size > 0.0 ? way / size : otherwise;
}

// `vector` as a mirror at right angles to `way` shows it.
vec3 mirrored(vec3 vector, vec3 way) {
    float size = dot(way, way);
    return size > 0.0 ? vector - 2.0 * dot(way, vector) / size * way : vector;
}

void main() {
    uint rope = gl_GlobalInvocationID.x;
    if (rope >= rope_ranges.length()) return;
    RopeRange range = rope_ranges[rope];
    uint first = range.first;
    uint last = first + range.particle_count - 1;
    vec3 position = particle_position(first);
    vec3 tangent = tangent_at(first, first, last, vec3(0.0, -1.0, 0.0));
    // The x axis, turned by the shortest turn from straight down to the tangent, so that it changes steadily as the rope
    // swings: mirrored at right angles to down and then to what lies halfway between down and the tangent.
    vec3 normal = mirrored(mirrored(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0)), tangent - vec3(0.0, 1.0, 0.0));
    float along = 0.0;
    for (uint index = first; index <= last; ++index) {
        vec3 next_position = particle_position(index);
        vec3 next_tangent = tangent_at(index, first, last, tangent);
        // Two mirrors make a turn that brings tangent to tangent and adds no twist. Source: Wang, Juettler, Zheng, Liu
        // 2008, "Computation of Rotation Minimizing Frames".
        vec3 way = next_position - position;
        normal = mirrored(normal, way);
        normal = mirrored(normal, next_tangent - mirrored(tangent, way));
        normal = normalize(normal - dot(normal, next_tangent) * next_tangent);
        along += length(way);
        // The mean of both links, or the one at an end.
        vec3 next_way = particle_position(min(index + 1, last)) - next_position;
        float links = float(index > first) + float(index < last);
        float stretch = (length(way) + length(next_way)) / (links * range.link_length) - 1.0;
        position = next_position;
        tangent = next_tangent;
        frames[index] = Frame(vec4(normal, along), vec4(tangent, stretch));
    }
}
