// Particles against a terrain: heights on a grid, with two flat triangles a cell, so that a straight way meets each of
// them exactly, and what is drawn is what is touched. It is solid below, and ends at its border in walls straight down.

// Touches of one way: a valley can turn it more than once.
const int MOST_TOUCHES = 4;

// The triangle at a place of the grid: its height there and its normal.
struct Facet {
    vec3 normal;
    float height; // m
};

// In units of cells, from the corner of least x and z.
vec2 grid_place(Collider field, vec3 place) {
    return (place.xz / field.size.xz * 0.5 + 0.5) * vec2(field.grid_size - 1);
}

float node_height(Collider field, uvec2 node) {
    return samples[field.first_sample + node.y * field.grid_size.x + node.x];
}

// A cell's diagonal goes from its corner of least x and z to the one of greatest; `nearer_x` chooses its side.
Facet facet_of(Collider field, uvec2 cell, bool nearer_x, vec2 grid) {
    float low = node_height(field, cell);
    float high = node_height(field, cell + 1);
    float corner = node_height(field, cell + (nearer_x ? uvec2(1, 0) : uvec2(0, 1)));
    vec2 rise = nearer_x ? vec2(corner - low, high - corner) : vec2(high - corner, corner - low);
    vec2 slope = rise * vec2(field.grid_size - 1) / (2.0 * field.size.xz);
    return Facet(normalize(vec3(-slope.x, 1.0, -slope.y)), low + dot(rise, grid - vec2(cell)));
}

Facet facet_at(Collider field, vec2 grid) {
    grid = clamp(grid, vec2(0.0), vec2(field.grid_size - 1));
    uvec2 cell = min(uvec2(grid), field.grid_size - 2);
    vec2 within = grid - vec2(cell);
    return facet_of(field, cell, within.x >= within.y, grid);
}

// Unit vector out of the wall that a place in the field's frame is nearest to, and the distance from it.
vec4 wall_distance(Collider field, vec3 place) {
    vec2 beyond = abs(place.xz) - field.size.xz;
    return beyond.x >= beyond.y ? vec4(place.x < 0.0 ? -1.0 : 1.0, 0.0, 0.0, beyond.x)
                                : vec4(0.0, 0.0, place.z < 0.0 ? -1.0 : 1.0, beyond.y);
}

// Signed distance from the plane of the triangle above or below, or from the nearest wall where that is less deep, in w,
// and its gradient in xyz.
vec4 height_field_distance(Collider field, vec3 place) {
    Facet facet = facet_at(field, grid_place(field, place));
    float above = (place.y - facet.height) * facet.normal.y;
    vec4 wall = wall_distance(field, place);
    return wall.w > above ? wall : vec4(facet.normal, above);
}

// Where a way touches the terrain.
struct Touch {
    float share; // of the way, 0 to 1
    vec3 normal; // 0 where it does not
};
const Touch NO_TOUCH = Touch(1.0, vec3(0.0));

// Whether the way from `from` to `to` goes deeper than `margin` below a triangle that it is above or below from share
// `start` to `end`.
bool touches_facet(Collider field, uvec2 cell, vec3 from, vec3 to, float start, float end, float margin,
                   out Touch touch) {
    if (end <= start) return false;
    vec3 first = mix(from, to, start);
    vec3 last = mix(from, to, end);
    vec2 within = grid_place(field, mix(first, last, 0.5)) - vec2(cell);
    bool nearer_x = within.x >= within.y;
    Facet facet = facet_of(field, cell, nearer_x, grid_place(field, first));
    float before = (first.y - facet.height) * facet.normal.y;
    float after = (last.y - facet_of(field, cell, nearer_x, grid_place(field, last)).height) * facet.normal.y;
    if (after >= -margin || after >= before) return false;
    touch = Touch(mix(start, end, clamp(before / (before - after), 0.0, 1.0)), facet.normal);
    return true;
}

// The first touch on the way from `from`, which is outside, to `to`: a walk from cell to cell along the way.
// Source: Amanatides and Woo 1987, "A Fast Voxel Traversal Algorithm for Ray Tracing".
Touch first_touch(Collider field, vec3 from, vec3 to, float margin) {
    vec2 from_grid = grid_place(field, from);
    vec2 way = grid_place(field, to) - from_grid;
    vec3 step = to - from;

    // The part of the way within the walls.
    float enter = 0.0;
    float leave = 1.0;
    Touch at_wall = NO_TOUCH;
    for (int axis = 0; axis < 3; axis += 2) {
        float inner = field.size[axis] - margin;
        if (step[axis] == 0.0) {
            if (abs(from[axis]) >= inner) return NO_TOUCH;
            continue;
        }
        float side = step[axis] < 0.0 ? 1.0 : -1.0;
        float into = (side * inner - from[axis]) / step[axis];
        leave = min(leave, (-side * inner - from[axis]) / step[axis]);
        if (into > enter) {
            enter = into;
            at_wall = Touch(clamp((side * field.size[axis] - from[axis]) / step[axis], 0.0, 1.0), vec3(0.0));
            at_wall.normal[axis] = side;
        }
    }
    if (enter >= leave) return NO_TOUCH;
    if (enter > 0.0) {
        vec3 place = mix(from, to, enter);
        if (place.y < facet_at(field, grid_place(field, place)).height) return at_wall;
    }

    ivec2 cells = ivec2(field.grid_size) - 1;
    ivec2 cell = clamp(ivec2(floor(from_grid + enter * way)), ivec2(0), cells - 1);
    ivec2 direction = ivec2(sign(way));
    float walked = enter;
    for (int i = 0; i < cells.x + cells.y && walked < leave; ++i) {
        vec2 lines = vec2(cell + max(direction, 0)) - from_grid;
        vec2 shares = vec2(way.x == 0.0 ? leave : lines.x / way.x, way.y == 0.0 ? leave : lines.y / way.y);
        float next = min(min(shares.x, shares.y), leave);
        float across = way.x - way.y;
        float to_diagonal = float(cell.x - cell.y) - (from_grid.x - from_grid.y);
        float diagonal = across == 0.0 ? next : clamp(to_diagonal / across, walked, max(next, walked));
        Touch touch;
        if (touches_facet(field, uvec2(cell), from, to, walked, diagonal, margin, touch)) return touch;
        if (touches_facet(field, uvec2(cell), from, to, diagonal, next, margin, touch)) return touch;
        if (shares.x <= shares.y) cell.x += direction.x;
        else cell.y += direction.y;
        if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, cells))) break;
        walked = max(walked, next);
    }
    return NO_TOUCH;
}

// Brings the end of a way that started at `from` and touched the surface at `touched` back onto it, with friction.
vec3 slide(float friction, vec3 from, vec3 touched, vec3 normal, vec3 to) {
    float depth = max(dot(touched - to, normal), 0.0);
    return rub(friction, depth, normal, from, to + depth * normal);
}

// Where a particle that went from `from` to `to` ends, in the field's frame, and the normal of what it touched last.
vec3 leave_height_field(Collider field, vec3 from, vec3 to, out vec3 normal) {
    normal = vec3(0.0);
    float margin = 1e-5 * collider_scale(field);
    if (min(from.y, to.y) > field.size.y + margin) return to;

    vec4 nearest = height_field_distance(field, from);
    vec3 place = to;
    if (nearest.w >= -margin) {
        // Who rests on the surface touches it from the start.
        if (nearest.w <= margin && dot(nearest.xyz, to - from) < 0.0) {
            normal = nearest.xyz;
            to = slide(field.friction, from, from, normal, to);
        }
        place = from;
        for (int i = 0; i < MOST_TOUCHES; ++i) {
            Touch touch = first_touch(field, place, to, margin);
            if (touch.normal == vec3(0.0)) {
                place = to;
                break;
            }
            normal = touch.normal;
            place = mix(place, to, touch.share);
            to = slide(field.friction, from, place, normal, to);
        }
    }
    nearest = height_field_distance(field, place);
    if (nearest.w < 0.0 && normal == vec3(0.0)) {
        normal = nearest.xyz;
        place = slide(field.friction, from, place - nearest.w * normal, normal, place);
        nearest = height_field_distance(field, place);
    }
    // What is left is raised, for above the triangles there is nothing to meet; or put before the wall.
    if (nearest.w < 0.0) {
        if (nearest.y > 0.0) place.y -= nearest.w / nearest.y;
        else place -= nearest.w * nearest.xyz;
    }
    return place;
}
