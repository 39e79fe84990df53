// Keeps particles out of colliders, swept, so that nothing tunnels through, and with Coulomb friction.

#include "lib/colliders.glsl"

// The length that a collider's sizes are measured against.
float collider_scale(Collider collider) {
    return collider.kind == COLLIDER_PLANE ? 1.0 : max(max(collider.size.x, collider.size.y), collider.size.z);
}

// Unit vector along `vector`, or upwards where it has no length.
vec3 direction_of(vec3 vector) {
    float size = length(vector);
    return size > 0.0 ? vector / size : vec3(0.0, 1.0, 0.0);
}

// Signed distance from the surface, in w, and its gradient, in xyz, at a place in the collider's own frame.
vec4 sphere_distance(float radius, vec3 place) {
    return vec4(direction_of(place), length(place) - radius);
}

// Source: Quilez, "Distance functions", sdRoundCone. The axis is y; the ends lie at -half_length and half_length.
vec4 capsule_distance(float lower_radius, float upper_radius, float half_length, vec3 place) {
    float axis_length = 2.0 * half_length;
    float slope = axis_length > 0.0 ? (lower_radius - upper_radius) / axis_length : 2.0;
    vec3 lower = place + vec3(0.0, half_length, 0.0);
    vec3 upper = place - vec3(0.0, half_length, 0.0);
    // One end swallows the other.
    if (slope >= 1.0) return sphere_distance(lower_radius, lower);
    if (slope <= -1.0) return sphere_distance(upper_radius, upper);
    float across = sqrt(1.0 - slope * slope);
    float radial = length(place.xz);
    // How far along the side of the cone: before its start and past its end the round ends are nearest.
    float along = dot(vec2(radial, lower.y), vec2(-slope, across));
    if (along < 0.0) return sphere_distance(lower_radius, lower);
    if (along > across * axis_length) return sphere_distance(upper_radius, upper);
    vec2 outward = radial > 0.0 ? place.xz / radial : vec2(1.0, 0.0);
    float distance = dot(vec2(radial, lower.y), vec2(across, slope)) - lower_radius;
    return vec4(across * outward.x, slope, across * outward.y, distance);
}

vec4 box_distance(vec3 half_sides, vec3 place) {
    vec3 beyond = abs(place) - half_sides;
    vec3 side = vec3(place.x < 0.0 ? -1.0 : 1.0, place.y < 0.0 ? -1.0 : 1.0, place.z < 0.0 ? -1.0 : 1.0);
    vec3 outside = max(beyond, 0.0);
    float distance = length(outside);
    if (distance > 0.0) return vec4(side * outside / distance, distance);
    // Inside, the nearest face is the one that lies least deep.
    if (beyond.x >= beyond.y && beyond.x >= beyond.z) return vec4(side.x, 0.0, 0.0, beyond.x);
    if (beyond.y >= beyond.z) return vec4(0.0, side.y, 0.0, beyond.y);
    return vec4(0.0, 0.0, side.z, beyond.z);
}

vec4 surface_distance(Collider collider, vec3 place) {
    switch (collider.kind) {
        case COLLIDER_SPHERE: return sphere_distance(collider.size.x, place);
        case COLLIDER_CAPSULE: return capsule_distance(collider.size.x, collider.size.y, collider.size.z, place);
        case COLLIDER_BOX: return box_distance(collider.size.xyz, place);
        default: return vec4(0.0, 1.0, 0.0, place.y);
    }
}

// Coulomb friction on positions: takes off a way along the surface up to the depth times the coefficient.
// Source: Macklin et al. 2014, "Unified Particle Physics", eq. 24.
vec3 rub(float friction, float depth, vec3 normal, vec3 from, vec3 to) {
    vec3 slid = to - from;
    slid -= dot(slid, normal) * normal;
    float slid_length = length(slid);
    return slid_length > 0.0 ? to - slid * min(1.0, friction * depth / slid_length) : to;
}

#include "lib/height_field.glsl"
#include "lib/distance_field.glsl"

// A particle after a collider has been minded.
struct Contact {
    vec3 position; // m
    vec3 normal;   // of the surface, in the world; 0 where nothing was touched
    vec3 surface;  // m, where the touched point of the collider was at the start of the substep
};

// Where a particle that went from `from` to `to` ends, in the frame of a convex collider, and the normal of the surface
// there, or 0 where nothing was touched.
vec3 leave_convex(Collider collider, vec3 from, vec3 to, out vec3 normal) {
    // Along a straight way the distance is a convex function: Newton's steps come ever closer to where it vanishes and
    // never pass that. Who rests on the surface, to rounding, starts outside.
    vec3 way = to - from;
    float way_length = length(way);
    vec3 heading = direction_of(way);
    float touch = 1e-5 * collider_scale(collider);
    vec4 nearest = surface_distance(collider, from);
    bool hit = false;
    float depth = 0.0;
    if (nearest.w >= -touch) {
        float walked = 0.0;
        for (int i = 0; i < 16 && walked < way_length; ++i) {
            vec3 place = from + walked * heading;
            nearest = surface_distance(collider, place);
            if (nearest.w < touch) {
                depth = dot(place - to, nearest.xyz);
                hit = depth > 0.0;
                break;
            }
            float approach = -dot(nearest.xyz, heading);
            if (approach <= 0.0) break;
            walked += nearest.w / approach;
        }
    }
    if (!hit) {
        nearest = surface_distance(collider, to);
        depth = max(-nearest.w, 0.0);
    }
    normal = depth > 0.0 ? nearest.xyz : vec3(0.0);
    if (depth == 0.0) return to;

    vec3 out_of_it = to + depth * normal;
    vec4 left = surface_distance(collider, out_of_it);
    if (left.w < 0.0) out_of_it -= left.w * left.xyz;
    return rub(collider.friction, depth, normal, from, out_of_it);
}

// Radius of a ball around the origin of a collider's frame that holds all of it.
float reach_of(Collider collider) {
    switch (collider.kind) {
        case COLLIDER_SPHERE: return collider.size.x;
        case COLLIDER_CAPSULE: return max(collider.size.x, collider.size.y) + collider.size.z;
        case COLLIDER_BOX: return length(collider.size.xyz);
        default: return 1e30; // m, as good as without end
    }
}

// Whether a particle that is at `from` and `to`, as seen from where the collider's origin is then, goes nowhere near it: for
// most are far from most colliders. Every place on a way is at least as far as half of what its ends' distances are
// longer than it. A turn of the collider makes the way longer, by the distance times twice what the quaternions differ at
// most.
bool is_out_of_reach(Collider collider, vec3 from, vec3 to) {
    vec4 start_rotation = collider.start_rotation;
    vec4 end_rotation = collider.end_rotation;
    float turn = 2.0 * min(distance(start_rotation, end_rotation), distance(start_rotation, -end_rotation));
    float way = distance(from, to) + turn * length(from);
    // A particle touches from 1e-5 of a collider's size on.
    return length(from) + length(to) - way > 2.001 * reach_of(collider);
}

// Moves a particle that went from `previous` to `position` out of one collider, which moved as well: both are looked at
// in the collider's frame, in which it rests.
Contact collide_one(Collider collider, float start, float end, vec3 previous, vec3 position) {
    Contact none = Contact(position, vec3(0.0), vec3(0.0));
    vec3 start_position = position_at(collider, start);
    vec3 end_position = position_at(collider, end);
    if (is_out_of_reach(collider, previous - start_position, position - end_position)) return none;
    vec4 start_rotation = rotation_at(collider, start);
    vec4 end_rotation = rotation_at(collider, end);
    vec3 from = rotate_back(start_rotation, previous - start_position);
    vec3 to = rotate_back(end_rotation, position - end_position);

    vec3 normal;
    vec3 place;
    switch (collider.kind) {
        case COLLIDER_HEIGHT_FIELD: place = leave_height_field(collider, from, to, normal); break;
        case COLLIDER_MESH: place = leave_mesh(collider, from, to, normal); break;
        default: place = leave_convex(collider, from, to, normal);
    }
    if (normal == vec3(0.0)) return none;
    return Contact(end_position + rotate(end_rotation, place), rotate(end_rotation, normal),
                   start_position + rotate(start_rotation, place));
}
