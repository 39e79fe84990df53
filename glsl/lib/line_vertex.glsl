// A line between two particles.

#include "lib/mark_vertex.glsl"

layout(location = 0) flat out vec4 mark_color;

// Points.
const float LINE_WIDTH = 1.5;
// Lines that are shorter than so many widths fade, so that what they lie on is seen between them from afar as well.
const float FULL_LENGTH = 6.0;

// One of the six corners of a line of `width` points from particle `a` to particle `b`, over them by a share of the way to the
// camera; none where both are the same.
void draw_line(uint a, uint b, uint vertex, float width, float share, vec3 color) {
    gl_Position = NOWHERE;
    if (a == b) return;
    vec2 corner = corner_of(vertex);
    vec4 start = lifted(particle_position(a), share);
    vec4 end = lifted(particle_position(b), share);
    // Behind the camera nothing has a place in the picture.
    if (min(start.w, end.w) <= 0.0) return;
    vec2 way = 0.5 * (end.xy / end.w - start.xy / start.w) * view.extent; // pixels
    float size = length(way);
    float pixels = width * view.pixels_per_point;
    mark_color = vec4(color, min(size / (FULL_LENGTH * pixels), 1.0));
    vec2 across = size > 0.0 ? vec2(-way.y, way.x) / size : vec2(0.0);
    gl_Position = corner.x < 0.0 ? start : end;
    gl_Position.xy += clip_of(0.5 * pixels * corner.y * across) * gl_Position.w;
}
