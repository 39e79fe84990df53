// Which part of the step a dispatch of one substep is.

#include "lib/flutter_phases.glsl"

layout(push_constant) uniform VerletPush {
    float start; // share of the step, 0 to 1
    float end;
    uint collider_count;
    uint substep; // number of it within its step
} push;

Substep pushed_substep() {
    return Substep(push.start, push.end, push.collider_count, flutter_phases[push.substep]);
}
