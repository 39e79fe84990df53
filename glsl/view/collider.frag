#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/lighting.glsl"

// Matt colliders.

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 0) out vec4 color;

void main() {
    vec3 to_camera = view.camera_position.xyz - world_position;
    // The triangle's own normal where the surface is flat; either way it faces the camera.
    vec3 normal = dot(world_normal, world_normal) > 0.5 ? world_normal : cross(dFdx(world_position), dFdy(world_position));
    normal = normalize(normal);
    if (dot(normal, to_camera) < 0.0) normal = -normal;
    float diffuse = max(dot(normal, view.light_direction.xyz), 0.0) * lit_share(world_position + 0.002 * view.floor_disc.w * normal);
    color = vec4(tone_map(view.collider_color.rgb * (KEY_LIGHT * diffuse + ambient_light(normal))), 1.0);
}
