// Dots on particles that are within reach of a collider's surface, in the colour of their signed distance from it.

#include "lib/dot_vertex.glsl"
#include "lib/collider_distance.glsl"

layout(push_constant) uniform ContactsPush {
    float reach; // m
    float lift;  // m, by which dots at least lie before the particles
    uint collider_count;
} push;

void main() {
    vec3 position = particle_position(gl_VertexIndex / 6);
    float nearest = push.reach;
    for (uint i = 0; i < push.collider_count; ++i) {
        nearest = min(nearest, signed_distance(colliders[i], position, view.alpha));
    }
    gl_Position = NOWHERE;
    if (nearest >= push.reach) return;
    // What is inside is to be seen, and what rests on the surface is there only to rounding.
    float lift = max(push.lift / distance(position, view.camera_position.xyz), LIFT);
    if (nearest < -0.02 * push.reach) lift = BEFORE_ALL;
    draw_dot(position, gl_VertexIndex, 0.8, min(lift, BEFORE_ALL), distance_color(nearest / push.reach));
}
