#version 450

// A disc with a dark rim, so that it is seen on any colour.

layout(location = 0) in vec2 place;
layout(location = 1) flat in vec3 mark_color;
layout(location = 0) out vec4 color;

void main() {
    float radius = length(place);
    float pixel = fwidth(radius);
    float shown = 1.0 - smoothstep(1.0 - 0.5 * pixel, 1.0 + 0.5 * pixel, radius);
    if (shown <= 0.0) discard;
    float rim = smoothstep(0.75 - 0.5 * pixel, 0.75 + 0.5 * pixel, radius);
    color = vec4(mix(mark_color, vec3(0.01), rim), shown);
}
