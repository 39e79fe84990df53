// What a hinge does to its particles: two triangles a-b-c and a-d-b at an edge from a to b, held at an angle. Kernels that bend
// say `no_contraction`, so that they end in the same bits.
// Source: Grinspun, Hirani, Desbrun, Schroeder 2003, "Discrete Shells", for the angle; Bridson, Marino, Fedkiw 2003,
// "Simulation of Clothing with Folds and Wrinkles", for its gradients.

const float PI = 3.14159265;

// Moves the four particles and changes the hinge's lambda.
void bend(inout vec4 a, inout vec4 b, inout vec4 c, inout vec4 d, float rest_angle, float compliance, inout float lambda) {
    vec3 edge = b.xyz - a.xyz;
    vec3 normal_c = cross(edge, c.xyz - a.xyz);
    vec3 normal_d = cross(d.xyz - a.xyz, edge);
    float edge_length = length(edge);
    float length_c = length(normal_c);
    float length_d = length(normal_d);
    // A triangle without area faces nowhere; a hinge that is cut has an edge without length.
    if (edge_length == 0.0 || length_c == 0.0 || length_d == 0.0) return;
    normal_c /= length_c;
    normal_d /= length_d;

    // A corner turns its triangle by its way along the normal over its height. The ends of the edge share the opposite, each
    // by how near the foot of that height is: so nothing is pushed or turned as a whole.
    vec3 gradient_c = -edge_length / length_c * normal_c;
    vec3 gradient_d = -edge_length / length_d * normal_d;
    float foot_c = dot(c.xyz - a.xyz, edge) / (edge_length * edge_length);
    float foot_d = dot(d.xyz - a.xyz, edge) / (edge_length * edge_length);
    vec3 gradient_a = -(1.0 - foot_c) * gradient_c - (1.0 - foot_d) * gradient_d;
    vec3 gradient_b = -foot_c * gradient_c - foot_d * gradient_d;
    float weight_sum = a.w * dot(gradient_a, gradient_a) + b.w * dot(gradient_b, gradient_b)
        + c.w * dot(gradient_c, gradient_c) + d.w * dot(gradient_d, gradient_d);
    if (weight_sum == 0.0) return;

    float angle = atan(dot(cross(normal_c, normal_d), edge / edge_length), dot(normal_c, normal_d));
    // The short way round: from just below pi to just above -pi is a small change.
    float error = angle - rest_angle;
    if (error > PI) error -= 2.0 * PI;
    if (error < -PI) error += 2.0 * PI;
    float delta_lambda = constraint_delta_lambda(error, lambda, weight_sum, compliance, parameters.substep_dt);
    lambda += delta_lambda;
    a.xyz += a.w * delta_lambda * gradient_a;
    b.xyz += b.w * delta_lambda * gradient_b;
    c.xyz += c.w * delta_lambda * gradient_c;
    d.xyz += d.w * delta_lambda * gradient_d;
}
