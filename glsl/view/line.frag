#version 450

// A line of one colour.

layout(location = 0) flat in vec4 mark_color;
layout(location = 0) out vec4 color;

void main() {
    color = mark_color;
}
