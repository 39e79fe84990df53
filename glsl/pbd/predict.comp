#version 450
#extension GL_GOOGLE_include_directive : require

// Integrates the external accelerations and predicts positions: v += h a, x* = x + h v (semi-implicit Euler).

layout(local_size_x = 256) in;

layout(std430, binding = 0) buffer Positions {
    vec4 positions[]; // xyz: m, w: inverse mass, 1/kg
};
layout(std430, binding = 1) writeonly buffer PreviousPositions {
    vec4 previous_positions[];
};
layout(std430, binding = 2) buffer Velocities {
    vec4 velocities[]; // xyz: m/s
};

#include "lib/pbd_parameters.glsl"
#include "lib/wind.glsl"
#include "lib/forces.glsl"

layout(push_constant) uniform PredictPush {
    float flutter_phase; // rad
} push;

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= parameters.particle_count) return;

    vec4 particle = positions[index];
    previous_positions[index] = particle;
    if (particle.w == 0.0) {
        velocities[index] = vec4(0.0);
        return;
    }

    float h = parameters.substep_dt;
    vec3 acceleration = parameters.gravity.xyz
        + wind_acceleration(particle.xyz, parameters.wind, parameters.flutter_wave_number, parameters.flutter_lift,
                            push.flutter_phase);
    if (parameters.has_forces != 0) acceleration += particle.w * forces[index].xyz;
    vec3 velocity = velocities[index].xyz * max(0.0, 1.0 - parameters.damping * h) + h * acceleration;
    velocities[index] = vec4(velocity, 0.0);
    positions[index] = vec4(particle.xyz + h * velocity, particle.w);
}
