#version 450
#extension GL_GOOGLE_include_directive : require
#pragma no_contraction

// The velocity is the way from the image before, and w is the pin flag of document 000.

layout(rgba32f, binding = 0) writeonly uniform image2D u_Positions;

void place_particle(uint index, vec3 position, vec3 velocity, float inverse_mass) {
    int columns = imageSize(u_Positions).x;
    ivec2 coord = ivec2(int(index) % columns, int(index) / columns);
    imageStore(u_Positions, coord, vec4(position, inverse_mass == 0.0 ? 1.0 : 0.0));
}

#include "lib/attach.glsl"
