// How a particle moves on its own in a substep: v += h a, x* = x + h v (semi-implicit Euler). Kernels that predict say
// `no_contraction`, so that they end in the same bits.

#include "lib/wind.glsl"
#include "lib/forces.glsl"

vec3 predicted_velocity(uint index, vec4 particle, vec3 velocity, float flutter_phase) {
    float h = parameters.substep_dt;
    vec3 wind = wind_acceleration(particle.xyz, parameters.wind, parameters.flutter_wave_number, parameters.flutter_lift,
                                  flutter_phase);
    vec3 acceleration = parameters.gravity.xyz + wind;
    // No branch: Mesa's software driver would compile the kernel anew, and keep what it compiled, with each dispatch.
    vec3 pushed = fma(vec3(particle.w), forces[parameters.has_forces * index].xyz, acceleration);
    acceleration = mix(acceleration, pushed, bvec3(parameters.has_forces != 0));
    float kept = max(0.0, fma(-parameters.damping, h, 1.0));
    return fma(vec3(h), acceleration, kept * velocity);
}

vec3 predicted_position(vec3 position, vec3 velocity) {
    return fma(vec3(parameters.substep_dt), velocity, position);
}
