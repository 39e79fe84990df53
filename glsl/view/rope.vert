#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/rope_vertex.glsl"

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec3 strand; // cosine and sine of the angle around the rope, and how far along it in radii
layout(location = 3) flat out uint level;
layout(location = 4) out float share; // of the scale's full value, where one is shown

void main() {
    uint particle = gl_VertexIndex / SIDES;
    vec3 position = particle_position(particle);
    world_normal = outward(gl_VertexIndex);
    // In the distance a pixel wide rather than flickering.
    float radius = max(push.radius, 5e-4 * distance(position, view.camera_position.xyz));
    world_position = position + radius * world_normal;
    float angle = 6.28318531 * float(gl_VertexIndex % SIDES) / float(SIDES);
    strand = vec3(cos(angle), sin(angle), frames[particle].normal.w / push.radius);
    level = current_level(particle);
    share = view.shown == SHOWN_STRETCH ? frames[particle].tangent.w / FULL_STRETCH
                                        : particle_speed(particle) / view.full_speed;
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
