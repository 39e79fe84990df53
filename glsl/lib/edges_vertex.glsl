// The edges of triangles, as lines; one that two triangles share is drawn twice.

#include "lib/line_vertex.glsl"

layout(std430, binding = 1) readonly buffer Triangles {
    uint corners[]; // three of each triangle; one that is cut has three times the same
};

void main() {
    uint edge = gl_VertexIndex / 6;
    uint next = edge % 3 == 2 ? edge - 2 : edge + 1;
    draw_line(corners[edge], corners[next], gl_VertexIndex, LINE_WIDTH, LIFT, palette.edge.rgb);
}
