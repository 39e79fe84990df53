// How far places are from colliders.

#include "lib/collide.glsl"

// Distance of a place from a collider's surface at a share of the step, negative inside, m.
float signed_distance(Collider collider, vec3 position, float share) {
    vec3 place = rotate_back(rotation_at(collider, share), position - position_at(collider, share));
    switch (collider.kind) {
        case COLLIDER_HEIGHT_FIELD: return height_field_distance(collider, place).w;
        case COLLIDER_MESH: return mesh_distance(collider, place).w;
        default: return surface_distance(collider, place).w;
    }
}
