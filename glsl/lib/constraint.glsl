// Projections of constraints, as pure functions. A constraint ends in the same bits whichever kernel solves it: these say
// `no_contraction`, and `fma` where two operations are one.

// A compliance over the square of a substep, alpha of XPBD, eq. 18.
float scaled_compliance(float compliance, float dt) {
    return compliance / (dt * dt);
}

// The change of lambda that brings a constraint C towards zero, of which `error` is the value; `weight_sum` is the sum over
// its particles of the inverse mass times the squared length of C's gradient.
// Source: Macklin, Mueller, Chentanez 2016, "XPBD", eq. 18. With compliance 0 this is the projection of Mueller et al. 2007,
// eq. 8.
float constraint_delta_lambda(float error, float lambda, float weight_sum, float compliance, float dt) {
    float alpha = scaled_compliance(compliance, dt);
    return (-error - alpha * lambda) / (weight_sum + alpha);
}

// One over the denominator of that equation; 0 where nothing can move.
float distance_yield(float weight_sum, float alpha) {
    return weight_sum > 0.0 ? 1.0 / (weight_sum + alpha) : 0.0;
}

// What a distance constraint, C = |xa - xb| - rest length, moves its particles by over their inverse masses: the first one by
// this, the second by its opposite. `difference` is xa - xb, and the gradients have length 1 (document 003). Two particles in
// one place have no direction to be pushed in and stay there. Changes the constraint's lambda.
vec3 distance_correction(vec3 difference, float rest_length, float yield_of, float alpha, inout float lambda) {
    float square = fma(difference.z, difference.z, fma(difference.y, difference.y, difference.x * difference.x));
    // No distance of f32 positions is as short as this, whatever the unit of length.
    float inverse_distance = inversesqrt(max(square, 1e-36));
    float error = fma(square, inverse_distance, -rest_length);
    float delta_lambda = fma(-alpha, lambda, -error) * yield_of;
    if (square > 0.0) lambda += delta_lambda;
    return delta_lambda * inverse_distance * difference;
}

// Where a correction moves a particle of inverse mass `weight`.
vec3 corrected(vec3 position, float weight, vec3 correction) {
    return fma(vec3(weight), correction, position);
}
