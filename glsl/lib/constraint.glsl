// Projections of constraints, as pure functions.

// The change of lambda that brings a constraint C towards zero, of which `error` is the value; `weight_sum` is the sum over
// its particles of the inverse mass times the squared length of C's gradient.
// Source: Macklin, Mueller, Chentanez 2016, "XPBD", eq. 18. With compliance 0 this is the projection of Mueller et al. 2007,
// eq. 8. A distance constraint, C = |xa - xb| - elongation * rest length, has gradients of length 1 (document 003).
float constraint_delta_lambda(float error, float lambda, float weight_sum, float compliance, float dt) {
    float alpha = compliance / (dt * dt);
    return (-error - alpha * lambda) / (weight_sum + alpha);
}
