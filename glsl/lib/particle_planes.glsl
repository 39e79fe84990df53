// Particles of ropes: planes of x, y, z, previous x, y, z, the level of detail, and what hands have done (1 where one has
// pinned, -1 where one has let go, else 0), one after the other.

layout(std430, binding = 0) readonly buffer Planes {
    float planes[];
};

const uint PLANES = 8;

vec3 current_position(uint index) {
    uint size = planes.length() / PLANES;
    return vec3(planes[index], planes[size + index], planes[2 * size + index]);
}

float hand_on(uint index) {
    return planes[7 * (planes.length() / PLANES) + index];
}

uint current_level(uint index) {
    return uint(planes[6 * (planes.length() / PLANES) + index]);
}
