// Colours that mean something. They come from src/render/colors.rs, where the panels have them from too.

layout(std140, binding = 10) uniform Palette {
    vec4 scale[11];    // rgb, linear: of shares 0, 0.1 and so on to 1
    vec4 distances[3]; // of what lies as deep below a surface as is told, on it, and as high above it
    vec4 batches[24];
    vec4 levels[4];    // of detail
    vec4 pins[2];      // of what is held and stays, and of what is carried
    vec4 edge;         // of triangles
} palette;

// The colour of a share of a scale's full value.
vec3 scale_color(float share) {
    float place = 10.0 * clamp(share, 0.0, 1.0);
    uint below = min(uint(place), 9);
    return mix(palette.scale[below].rgb, palette.scale[below + 1].rgb, place - float(below));
}

// The colour of a signed distance, as a share of the largest that is told.
vec3 distance_color(float share) {
    vec3 end = palette.distances[share < 0.0 ? 0 : 2].rgb;
    return mix(palette.distances[1].rgb, end, min(abs(share), 1.0));
}
