// Marks over what is drawn: dots and lines as wide as so many points of the display, as quads that face the camera.

#include "lib/particle_drawn.glsl"
#include "lib/colors.glsl"

// Share of the way to the camera by which marks lie before what they mark, so as to be seen.
const float LIFT = 0.003;
// Marks that are not shown: all corners in one point that no picture holds.
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);

// On the same place of the picture, nearer to the camera by a share of the way.
vec4 lifted(vec3 position, float share) {
    return view.clip_from_world * vec4(mix(position, view.camera_position.xyz, share), 1.0);
}

// -1 or 1 each way, of the six corners of a quad.
vec2 corner_of(uint vertex) {
    const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
    return corners[vertex % 6];
}

// Clip space for a way in pixels, at a depth of 1; clip space is 2 wide.
vec2 clip_of(vec2 pixels) {
    return 2.0 * pixels / view.extent;
}
