#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/wave_vertex.glsl"

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out float speed; // m/s
layout(location = 3) out vec3 rest_position;

void main() {
    vec2 share = share_of(gl_VertexIndex);
    world_position = position_of(share);
    // Across two hundredths of the cloth each way.
    vec2 step = vec2(0.01, 0.0);
    vec3 across = position_of(share + step.xy) - position_of(share - step.xy);
    vec3 down = position_of(share + step.yx) - position_of(share - step.yx);
    world_normal = normalize(cross(down, across));
    rest_position = rest_of(share);
    float rise = wave(share, push.time) - wave(share, push.time - view.step_dt);
    speed = push.height * abs(rise) / view.step_dt;
    gl_Position = view.clip_from_world * vec4(world_position, 1.0);
}
