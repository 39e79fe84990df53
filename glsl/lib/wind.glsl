// Wind as document 002 has it: a fixed direction, and a sine flutter from position and time that also lifts.

vec3 wind_acceleration(vec3 position, vec4 wind, float wave_number, float lift, float phase) {
    float speed = length(wind.xyz);
    vec3 direction = speed > 0.0 ? wind.xyz / speed : vec3(0.0);
    float flutter = wind.w * sin(wave_number * (position.x + position.y) + phase);
    return wind.xyz + flutter * (direction + vec3(0.0, lift, 0.0));
}
