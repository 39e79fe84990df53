#version 450

// Panels over a finished picture: triangles in the window's own coordinates, each within a rectangle that clips it.

struct PanelVertex {
    vec2 position; // points, from the upper left corner of the window
    vec2 place;    // in the texture, 0 to 1
    uint color;    // four bytes of sRGB and alpha, red in the lowest, multiplied by alpha
    uint clip;     // index of its rectangle
};

layout(std430, binding = 0) readonly buffer Vertices { PanelVertex vertices[]; };

layout(push_constant) uniform PanelPush {
    vec2 points; // size of the window, points
};

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 place;
layout(location = 2) flat out uint clip;

void main() {
    PanelVertex vertex = vertices[gl_VertexIndex];
    color = unpackUnorm4x8(vertex.color);
    place = vertex.place;
    clip = vertex.clip;
    gl_Position = vec4(2.0 * vertex.position / points - 1.0, 0.0, 1.0);
}
