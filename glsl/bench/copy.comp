#version 450

// Copies a list, as fast as memory lets a kernel that reads and writes a vec4 an invocation.

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Source {
    vec4 source[];
};
layout(std430, binding = 1) writeonly buffer Target {
    vec4 target[];
};

layout(push_constant) uniform CopyPush {
    uint count;
} push;

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index < push.count) target[index] = source[index];
}
