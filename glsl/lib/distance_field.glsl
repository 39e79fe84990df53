// Particles against a closed mesh: signed distances at the nodes of a grid around it, between which they are interpolated
// linearly along each axis. The solid is where that is negative.

// Halvings and steps by which a touch is looked for within a cell.
const int MOST_SEARCHES = 48;
const int MOST_PUSHES = 8;

// The distances at the corners of a cell, first along x, then along y; `low` and `high` along z. m
struct Cell {
    vec4 low;
    vec4 high;
};

ivec3 mesh_cells(Collider mesh) {
    return ivec3(mesh.grid_size, mesh.grid_layers) - 1;
}

// In units of cells, from the node of least coordinates.
vec3 mesh_grid_place(Collider mesh, vec3 place) {
    return (place - mesh.grid_origin.xyz) / mesh.grid_origin.w;
}

Cell mesh_cell(Collider mesh, ivec3 cell) {
    uint row = mesh.grid_size.x;
    uint layer = row * mesh.grid_size.y;
    uint first = mesh.first_sample + cell.z * layer + cell.y * row + cell.x;
    uint above = first + layer;
    return Cell(vec4(samples[first], samples[first + 1], samples[first + row], samples[first + row + 1]),
                vec4(samples[above], samples[above + 1], samples[above + row], samples[above + row + 1]));
}

// At a place in the cell, 0 to 1 along each axis.
float distance_within(Cell cell, vec3 within) {
    vec4 layer = mix(cell.low, cell.high, within.z);
    vec2 row = mix(layer.xy, layer.zw, within.y);
    return mix(row.x, row.y, within.x);
}

// By how much the distance grows along each axis of the cell.
vec3 growth_within(Cell cell, vec3 within) {
    vec4 layer = mix(cell.low, cell.high, within.z);
    vec2 row = mix(layer.xy, layer.zw, within.y);
    vec2 column = mix(layer.xz, layer.yw, within.x);
    vec4 up = cell.high - cell.low;
    vec2 up_row = mix(up.xy, up.zw, within.y);
    return vec3(row.y - row.x, column.y - column.x, mix(up_row.x, up_row.y, within.x));
}

// The distance in w, and in xyz its gradient, which is no unit vector. Outside of the grid it is what it is at the border
// and the way from there.
vec4 mesh_distance(Collider mesh, vec3 place) {
    vec3 grid = mesh_grid_place(mesh, place);
    ivec3 cells = mesh_cells(mesh);
    vec3 inside = clamp(grid, vec3(0.0), vec3(cells));
    ivec3 at = min(ivec3(inside), cells - 1);
    Cell cell = mesh_cell(mesh, at);
    vec3 within = inside - vec3(at);
    vec3 beyond = (grid - inside) * mesh.grid_origin.w;
    float way = length(beyond);
    vec3 gradient = way > 0.0 ? beyond / way : growth_within(cell, within) / mesh.grid_origin.w;
    return vec4(gradient, distance_within(cell, within) + way);
}

// The least coefficient of the distance along a straight way in a cell, a cubic: what it is at both ends, and the means of
// what it is where some coordinates are of the one end and the others of the other. It is nowhere less than that.
// Source: Farin 2002, "Curves and Surfaces for CAGD", 3.5 (blossoms) and 5.2 (convex hulls).
float least_on_way(Cell cell, vec3 a, vec3 b) {
    float begin = distance_within(cell, a);
    float end = distance_within(cell, b);
    float first = distance_within(cell, vec3(b.x, a.yz)) + distance_within(cell, vec3(a.x, b.y, a.z)) +
                  distance_within(cell, vec3(a.xy, b.z));
    float second = distance_within(cell, vec3(a.x, b.yz)) + distance_within(cell, vec3(b.x, a.y, b.z)) +
                   distance_within(cell, vec3(b.xy, a.z));
    return min(min(begin, end), min(first, second) / 3.0);
}

// The share of the way from `a` to `b`, both in one cell, up to which nothing is deeper than `margin`; 1 where nothing is.
float free_within(Cell cell, vec3 a, vec3 b, float margin) {
    if (min(min(min(cell.low.x, cell.low.y), min(cell.low.z, cell.low.w)),
            min(min(cell.high.x, cell.high.y), min(cell.high.z, cell.high.w))) >= -margin) return 1.0;
    float walked = 0.0;
    float step = 1.0;
    for (int i = 0; i < MOST_SEARCHES && walked < 1.0; ++i) {
        if (least_on_way(cell, mix(a, b, walked), mix(a, b, walked + step)) >= -margin) walked += step;
        else if (step > 1e-3) step *= 0.5;
        else break;
    }
    if (walked >= 1.0) return 1.0;
    // The distance is all but straight there: where it falls below.
    float before = distance_within(cell, mix(a, b, walked)) + margin;
    for (int i = 0; i < 2; ++i) {
        float after = distance_within(cell, mix(a, b, walked + step)) + margin;
        if (before <= 0.0 || after >= 0.0) break;
        float share = before / (before - after);
        walked += step * share;
        step *= 1.0 - share;
        before = distance_within(cell, mix(a, b, walked)) + margin;
    }
    return walked;
}

// What touches the surface near a place: the place on the surface, and the normal there.
Touch mesh_touch(Collider mesh, inout vec3 place, float share) {
    vec4 nearest = mesh_distance(mesh, place);
    vec3 normal = direction_of(nearest.xyz);
    place -= nearest.w / max(length(nearest.xyz), 0.5) * normal;
    return Touch(share, normal);
}

// The first touch on the way from `from`, which is outside, to `to`, and the place on the surface there: a walk from cell to
// cell, which a way that nothing stops goes through to its end.
// Source: Amanatides and Woo 1987, "A Fast Voxel Traversal Algorithm for Ray Tracing".
Touch first_mesh_touch(Collider mesh, vec3 from, vec3 to, float margin, out vec3 touched) {
    ivec3 cells = mesh_cells(mesh);
    vec3 begin = mesh_grid_place(mesh, from);
    vec3 way = mesh_grid_place(mesh, to) - begin;
    touched = to;

    // The part of the way within the grid, at whose border all is outside.
    float enter = 0.0;
    float leave = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        float size = float(cells[axis]);
        if (way[axis] == 0.0) {
            if (begin[axis] < 0.0 || begin[axis] > size) return NO_TOUCH;
            continue;
        }
        float at_least = -begin[axis] / way[axis];
        float at_greatest = (size - begin[axis]) / way[axis];
        enter = max(enter, min(at_least, at_greatest));
        leave = min(leave, max(at_least, at_greatest));
    }
    if (enter >= leave) return NO_TOUCH;

    ivec3 cell = clamp(ivec3(floor(begin + enter * way)), ivec3(0), cells - 1);
    ivec3 direction = ivec3(sign(way));
    float walked = enter;
    for (int i = 0; i < cells.x + cells.y + cells.z && walked < leave; ++i) {
        vec3 shares = vec3(leave);
        for (int axis = 0; axis < 3; ++axis) {
            if (way[axis] != 0.0) shares[axis] = (float(cell[axis] + max(direction[axis], 0)) - begin[axis]) / way[axis];
        }
        int across = shares.x <= min(shares.y, shares.z) ? 0 : shares.y <= shares.z ? 1 : 2;
        float next = clamp(shares[across], walked, leave);
        vec3 a = clamp(begin + walked * way - vec3(cell), 0.0, 1.0);
        vec3 b = clamp(begin + next * way - vec3(cell), 0.0, 1.0);
        float free = free_within(mesh_cell(mesh, cell), a, b, margin);
        if (free < 1.0) {
            float share = mix(walked, next, free);
            touched = mix(from, to, share);
            return mesh_touch(mesh, touched, share);
        }
        cell[across] += direction[across];
        if (cell[across] < 0 || cell[across] >= cells[across]) break;
        walked = next;
    }
    return NO_TOUCH;
}

// Where a particle that went from `from` to `to` ends, in the mesh's frame, and the normal of what it touched last.
vec3 leave_mesh(Collider mesh, vec3 from, vec3 to, out vec3 normal) {
    normal = vec3(0.0);
    float margin = 1e-5 * collider_scale(mesh);
    vec3 place = to;
    vec4 nearest = mesh_distance(mesh, from);
    if (nearest.w >= -margin) {
        // Who rests on the surface touches it from the start.
        if (nearest.w <= margin && dot(nearest.xyz, to - from) < 0.0) {
            vec3 surface = from;
            normal = mesh_touch(mesh, surface, 0.0).normal;
            to = slide(mesh.friction, from, surface, normal, to);
        }
        place = from;
        for (int i = 0; i < MOST_TOUCHES; ++i) {
            vec3 touched;
            Touch touch = first_mesh_touch(mesh, place, to, margin, touched);
            place = touched;
            if (touch.normal == vec3(0.0)) break;
            normal = touch.normal;
            to = slide(mesh.friction, from, place, normal, to);
        }
    }
    // What started inside is pushed out the nearest way, with friction at first; of the others the margin is taken off.
    for (int i = 0; i < MOST_PUSHES; ++i) {
        nearest = mesh_distance(mesh, place);
        if (nearest.w >= 0.0) break;
        vec3 surface = place;
        vec3 outwards = mesh_touch(mesh, surface, 0.0).normal;
        bool is_first = normal == vec3(0.0);
        if (is_first) normal = outwards;
        place = is_first ? slide(mesh.friction, from, surface, outwards, place) : surface;
    }
    return place;
}
