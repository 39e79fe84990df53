// Projections of constraints, as pure functions.

// The change of lambda that brings a distance constraint towards zero.
// Source: Macklin, Mueller, Chentanez 2016, "XPBD", eq. 18, with C = |xa - xb| - elongation * rest length, whose
// gradients have length 1. With compliance 0 this is the projection of Mueller et al. 2007, eq. 8, and of document 003.
float distance_delta_lambda(float error, float lambda, float weight_sum, float compliance, float dt) {
    float alpha = compliance / (dt * dt);
    return (-error - alpha * lambda) / (weight_sum + alpha);
}
