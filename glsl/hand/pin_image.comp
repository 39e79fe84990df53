#version 450
#extension GL_GOOGLE_include_directive : require

// Pins one particle of an image where it is, or lets it go.

layout(local_size_x = 1) in;

layout(rgba32f, binding = 0) uniform image2D u_Positions;

layout(push_constant) uniform PinPush {
    uint index;
    float flag; // 1 pins it, 0 lets it go
} push;

void main() {
    int columns = imageSize(u_Positions).x;
    ivec2 coord = ivec2(int(push.index) % columns, int(push.index) / columns);
    imageStore(u_Positions, coord, vec4(imageLoad(u_Positions, coord).xyz, push.flag));
}
