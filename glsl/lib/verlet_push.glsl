// Which part of the step a dispatch of one substep is.

layout(push_constant) uniform VerletPush {
    float start; // share of the step, 0 to 1
    float end;
    uint collider_count;
    float flutter_phase; // rad
} push;

Substep pushed_substep() {
    return Substep(push.start, push.end, push.collider_count, push.flutter_phase);
}
