#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/view_parameters.glsl"

// A square around the disc of floor below the cloth, from no buffer.

layout(location = 0) out vec3 world_position;

void main() {
    const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
    vec2 place = corners[gl_VertexIndex] * view.floor_disc.w;
    world_position = view.floor_disc.xyz + vec3(place.x, 0.0, place.y);
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
