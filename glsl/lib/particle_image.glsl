// Particles of a solver that keeps them in an image, row by row.

layout(rgba32f, binding = 0) readonly uniform image2D u_Positions;

vec3 current_position(uint index) {
    uint columns = uint(imageSize(u_Positions).x);
    return imageLoad(u_Positions, ivec2(index % columns, index / columns)).xyz;
}

bool current_held(uint index) {
    uint columns = uint(imageSize(u_Positions).x);
    return imageLoad(u_Positions, ivec2(index % columns, index / columns)).w > 0.5;
}
