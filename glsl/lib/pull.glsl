// The pull of a hand, as pure functions.

// What a critically damped spring of this frequency (rad/s) changes of a velocity in a substep, by backward Euler: with
// v' = (v + h f^2 way) / (1 + h f)^2 nothing overshoots, however long the substep is. The pull grows with the way up to
// `reach`, so that neither its force nor the speed f reach / 2 that it leads to has to do with how far the hand is.
vec3 pull_of(vec3 target, float frequency, float reach, float dt, vec3 position, vec3 velocity) {
    vec3 way = target - position;
    float distance = length(way);
    if (distance > reach) way *= reach / distance;
    float turn = frequency * dt;
    return (velocity + frequency * turn * way) / ((1.0 + turn) * (1.0 + turn)) - velocity;
}

// The share of a pull that a particle feels at a share of the hand's radius: 1 in the middle, and smoothly 0 at its edge.
float grip_weight(float share) {
    float inside = max(0.0, 1.0 - share * share);
    return inside * inside;
}
