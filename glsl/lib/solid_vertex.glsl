// A vertex of a mesh that is a collider, from a buffer of its own; where it is, the colliders' buffer says.

#include "lib/colliders.glsl"
#include "lib/view_parameters.glsl"

struct SolidVertex {
    vec4 position; // xyz: m, in the mesh's frame
    vec4 normal;   // xyz: unit vector
};

layout(std430, binding = 7) readonly buffer SolidVertices {
    SolidVertex solid_vertices[]; // three a triangle
};

layout(push_constant) uniform ColliderPush {
    uint collider;
} push;

vec3 solid_position(uint vertex) {
    Collider collider = colliders[push.collider];
    vec3 place = solid_vertices[vertex].position.xyz;
    return position_at(collider, view.alpha) + rotate(rotation_at(collider, view.alpha), place);
}

vec3 solid_normal(uint vertex) {
    return rotate(rotation_at(colliders[push.collider], view.alpha), solid_vertices[vertex].normal.xyz);
}
