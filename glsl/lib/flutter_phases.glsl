// What changes from step to step without anybody changing it; so it is no push constant, and a step's commands stay the same.

layout(std430, binding = 12) readonly buffer FlutterPhases {
    float flutter_phases[]; // of the wind's flutter, rad, at each substep of the step
};
