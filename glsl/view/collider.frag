#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/lighting.glsl"

// Matt colliders.

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 0) out vec4 color;

void main() {
    vec3 to_camera = view.camera_position.xyz - world_position;
    // The triangle's own normal where the surface is flat, which faces the camera; a smooth one may face away from it near
    // a ridge, and is right all the same.
    vec3 normal = normalize(world_normal);
    if (dot(world_normal, world_normal) < 0.5) {
        normal = normalize(cross(dFdx(world_position), dFdy(world_position)));
        if (dot(normal, to_camera) < 0.0) normal = -normal;
    }
    float diffuse = max(dot(normal, view.light_direction.xyz), 0.0) * lit_share(world_position + 0.002 * view.floor_disc.w * normal);
    color = vec4(tone_map(view.collider_color.rgb * (KEY_LIGHT * diffuse + ambient_light(normal))), 1.0);
}
