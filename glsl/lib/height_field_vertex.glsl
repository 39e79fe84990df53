// A vertex of a height field: six a cell, then six for each cell's side along the border, which make the walls.

struct SurfaceVertex {
    vec3 position; // m
    vec3 normal;   // 0 where the surface is flat, and its triangles have the normal
};

vec3 node_place(Collider field, uvec2 node) {
    vec2 place = (2.0 * vec2(node) / vec2(field.grid_size - 1) - 1.0) * field.size.xz;
    float height = samples[field.first_sample + node.y * field.grid_size.x + node.x];
    return vec3(place.x, height, place.y);
}

// Smooth, from the nodes on both sides.
vec3 node_normal(Collider field, uvec2 node) {
    uvec2 before = max(node, 1) - 1;
    uvec2 after = min(node + 1, field.grid_size - 1);
    vec3 along_x = node_place(field, uvec2(after.x, node.y)) - node_place(field, uvec2(before.x, node.y));
    vec3 along_z = node_place(field, uvec2(node.x, after.y)) - node_place(field, uvec2(node.x, before.y));
    return normalize(cross(along_z, along_x));
}

SurfaceVertex height_field_vertex(Collider field, uint vertex) {
    const uvec2 corners[6] = uvec2[](uvec2(0, 0), uvec2(1, 1), uvec2(1, 0), uvec2(0, 0), uvec2(0, 1), uvec2(1, 1));
    uvec2 corner = corners[vertex % 6];
    uvec2 cells = field.grid_size - 1;
    uint quad = vertex / 6;
    if (quad < cells.x * cells.y) {
        uvec2 node = uvec2(quad % cells.x, quad / cells.x) + corner;
        return SurfaceVertex(node_place(field, node), node_normal(field, node));
    }
    // Two walls along x, then two along z; they are drawn as far down as the field is wide.
    quad -= cells.x * cells.y;
    uint along_z = quad - min(quad, 2 * cells.x);
    uvec2 node = quad < 2 * cells.x ? uvec2(quad % cells.x + corner.x, quad < cells.x ? 0 : cells.y)
                                    : uvec2(along_z < cells.y ? 0 : cells.x, along_z % cells.y + corner.x);
    vec3 place = node_place(field, node);
    if (corner.y == 1) place.y = -2.0 * max(field.size.x, field.size.z);
    // A hair within the border, so that walls do not show through cloth that hangs before them.
    place.xz *= 0.99;
    return SurfaceVertex(place, vec3(0.0));
}
