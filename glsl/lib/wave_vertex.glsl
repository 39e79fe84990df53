// A vertex of a cloth that sine waves move, without any state: what a vertex shader can do by itself (document 001).

#include "lib/view_parameters.glsl"

layout(push_constant) uniform WavePush {
    vec4 top;     // xyz: m, the middle of its upper edge, which stays
    vec2 size;    // m, across and down
    float height; // m, of the waves at its lower edge
    float time;   // s
    uint columns; // cells across
    uint rows;    // cells down
    uint padding[2];
} push;

const float WAVES_ACROSS = 1.5;
const float WAVES_DOWN = 0.75;
const float FREQUENCY = 0.5; // Hz

// Share of the cloth across, -0.5 to 0.5, and down, 0 to 1; six corners a cell.
vec2 share_of(uint vertex) {
    const uvec2 corners[6] = uvec2[](uvec2(0, 0), uvec2(0, 1), uvec2(1, 1), uvec2(0, 0), uvec2(1, 1), uvec2(1, 0));
    uint cell = vertex / 6;
    uvec2 place = uvec2(cell % push.columns, cell / push.columns) + corners[vertex % 6];
    return vec2(place) / vec2(push.columns, push.rows) - vec2(0.5, 0.0);
}

// Out of the sheet, in heights: two waves, that grow from the edge that is held downwards.
float wave(vec2 share, float time) {
    float turns = FREQUENCY * time;
    return share.y * (0.7 * sin(6.28318531 * (WAVES_ACROSS * share.x - turns))
        + 0.3 * sin(6.28318531 * (WAVES_DOWN * share.y + 0.7 * share.x - 1.3 * turns)));
}

vec3 rest_of(vec2 share) {
    return vec3(share.x * push.size.x, -share.y * push.size.y, 0.0);
}

vec3 position_of(vec2 share) {
    return push.top.xyz + rest_of(share) + vec3(0.0, 0.0, push.height * wave(share, push.time));
}
