// A dot in the picture.

#include "lib/mark_vertex.glsl"

layout(location = 0) out vec2 place; // from the middle to the rim, 0 to 1
layout(location = 1) flat out vec3 mark_color;

// Radius of a dot, points.
const float DOT_RADIUS = 4.0;
// Share of the way to the camera by which dots lie before all that could hide them.
const float BEFORE_ALL = 0.9;

// One of the six corners of a dot, as large as `size` says, over a `position` by a share of the way to the camera.
void draw_dot(vec3 position, uint vertex, float size, float share, vec3 color) {
    // Half a pixel more, in which its rim fades.
    float radius = size * DOT_RADIUS * view.pixels_per_point;
    place = corner_of(vertex) * (radius + 0.5) / radius;
    mark_color = color;
    gl_Position = lifted(position, share);
    gl_Position.xy += clip_of(place * radius) * gl_Position.w;
}
