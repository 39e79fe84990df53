// A vertex of a collider's surface, from no buffer but the colliders': a sphere of directions, each of which is put where
// the surface faces it; or of the grid of a height field.

#include "lib/colliders.glsl"
#include "lib/height_field_vertex.glsl"
#include "lib/view_parameters.glsl"

layout(push_constant) uniform ColliderPush {
    uint collider;
} push;

const uint SEGMENTS = 32; // around
const uint RINGS = 16;    // from pole to pole

vec3 direction_of_vertex(uint vertex) {
    const uvec2 corners[6] = uvec2[](uvec2(0, 0), uvec2(1, 1), uvec2(1, 0), uvec2(0, 0), uvec2(0, 1), uvec2(1, 1));
    uint quad = vertex / 6;
    uvec2 place = uvec2(quad % SEGMENTS, quad / SEGMENTS) + corners[vertex % 6];
    float around = 6.28318531 * float(place.x) / float(SEGMENTS);
    float down = 3.14159265 * float(place.y) / float(RINGS);
    return vec3(sin(down) * cos(around), cos(down), sin(down) * sin(around));
}

// The first 36 vertices make the six faces of a box, and the others lie in one point and are not seen.
vec3 box_corner(uint vertex) {
    const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
    uint face = vertex / 6;
    if (face >= 6) return vec3(1.0);
    vec2 corner = corners[vertex % 6];
    float side = face % 2 == 0 ? 1.0 : -1.0;
    return face < 2 ? vec3(side, corner) : face < 4 ? vec3(corner.y, side, corner.x) : vec3(corner, side);
}

SurfaceVertex surface_vertex(uint vertex) {
    Collider collider = colliders[push.collider];
    vec3 direction = direction_of_vertex(vertex);
    vec3 place = collider.size.x * direction;
    vec3 normal = direction;
    if (collider.kind == COLLIDER_CAPSULE) {
        // The end that reaches farther that way.
        bool upper = collider.size.z * direction.y + collider.size.y > -collider.size.z * direction.y + collider.size.x;
        place = direction * (upper ? collider.size.y : collider.size.x);
        place.y += upper ? collider.size.z : -collider.size.z;
    } else if (collider.kind == COLLIDER_BOX) {
        place = collider.size.xyz * box_corner(vertex);
        normal = vec3(0.0);
    } else if (collider.kind == COLLIDER_PLANE) {
        // A disc as large as the floor.
        place = view.floor_disc.w * vec3(direction.x, 0.0, direction.z);
        normal = vec3(0.0, 1.0, 0.0);
    } else if (collider.kind == COLLIDER_HEIGHT_FIELD) {
        SurfaceVertex node = height_field_vertex(collider, vertex);
        place = node.position;
        normal = node.normal;
    }
    // Cloth has no thickness and lies on the surface itself; drawn a hair smaller, the collider does not show through.
    if (collider.kind == COLLIDER_PLANE || collider.kind == COLLIDER_HEIGHT_FIELD) {
        place.y -= 0.002 * view.floor_disc.w;
    } else {
        place *= 0.985;
    }
    vec4 rotation = rotation_at(collider, view.alpha);
    return SurfaceVertex(position_at(collider, view.alpha) + rotate(rotation, place), rotate(rotation, normal));
}
