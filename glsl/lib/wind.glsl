// Wind as document 002 has it: a fixed direction, and a sine flutter from position and time that also lifts.

vec3 wind_acceleration(vec3 position, vec4 wind, float wave_number, float lift, float phase) {
    precise float speed = length(wind.xyz);
    precise vec3 direction = speed > 0.0 ? wind.xyz / speed : vec3(0.0);
    precise float flutter = wind.w * sin(wave_number * (position.x + position.y) + phase);
    precise vec3 acceleration = wind.xyz + flutter * (direction + vec3(0.0, lift, 0.0));
    return acceleration;
}
