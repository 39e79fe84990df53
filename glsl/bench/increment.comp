#version 450

// Next to nothing, on what the dispatch before it has written: what is left is the cost of a dispatch and its barrier.

layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Counters {
    uint counters[];
};

void main() {
    counters[gl_GlobalInvocationID.x] += 1;
}
