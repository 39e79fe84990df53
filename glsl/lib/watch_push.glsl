layout(local_size_x = 128) in;

layout(push_constant) uniform LookPush {
    uint particle_count;
    uint spring_count;
    uint first_spring;   // what the first of them is counted as
    uint slot;           // of the looks that are kept
    uint goes_on;        // whether a call before has begun this look
    uint collider_count;
    float substep_dt;    // s
    float elongation;    // factor on the rest lengths of constraints
} push;
