// What a hinge does to its particles: two triangles a-b-c and a-d-b at an edge from a to b, held at an angle. In the same bits
// whichever kernel does it, by `precise` and `fma`.
// Source: Grinspun, Hirani, Desbrun, Schroeder 2003, "Discrete Shells", for the angle; Bridson, Marino, Fedkiw 2003,
// "Simulation of Clothing with Folds and Wrinkles", for its gradients.

const float PI = 3.14159265;

float precise_dot(vec3 one, vec3 other) {
    precise float product = fma(one.z, other.z, fma(one.y, other.y, one.x * other.x));
    return product;
}

vec3 precise_cross(vec3 one, vec3 other) {
    precise vec3 product = one.yzx * other.zxy - one.zxy * other.yzx;
    return product;
}

// Moves the four particles and changes the hinge's lambda.
void bend(inout vec4 a, inout vec4 b, inout vec4 c, inout vec4 d, float rest_angle, float compliance, inout float lambda) {
    precise vec3 edge = b.xyz - a.xyz;
    precise vec3 to_c = c.xyz - a.xyz;
    precise vec3 to_d = d.xyz - a.xyz;
    vec3 area_c = precise_cross(edge, to_c);
    vec3 area_d = precise_cross(to_d, edge);
    float edge_square = precise_dot(edge, edge);
    float edge_length = sqrt(edge_square);
    float length_c = sqrt(precise_dot(area_c, area_c));
    float length_d = sqrt(precise_dot(area_d, area_d));
    // A triangle without area faces nowhere; a hinge that is cut has an edge without length.
    if (edge_length == 0.0 || length_c == 0.0 || length_d == 0.0) return;
    precise vec3 normal_c = area_c / length_c;
    precise vec3 normal_d = area_d / length_d;

    // A corner turns its triangle by its way along the normal over its height. The ends of the edge share the opposite, each
    // by how near the foot of that height is: so nothing is pushed or turned as a whole.
    precise vec3 gradient_c = -edge_length / length_c * normal_c;
    precise vec3 gradient_d = -edge_length / length_d * normal_d;
    precise float foot_c = precise_dot(to_c, edge) / edge_square;
    precise float foot_d = precise_dot(to_d, edge) / edge_square;
    precise vec3 gradient_a = -(1.0 - foot_c) * gradient_c - (1.0 - foot_d) * gradient_d;
    precise vec3 gradient_b = -foot_c * gradient_c - foot_d * gradient_d;
    precise float weight_sum = a.w * precise_dot(gradient_a, gradient_a) + b.w * precise_dot(gradient_b, gradient_b)
        + c.w * precise_dot(gradient_c, gradient_c) + d.w * precise_dot(gradient_d, gradient_d);
    if (weight_sum == 0.0) return;

    precise vec3 along = edge / edge_length;
    float angle = atan(precise_dot(precise_cross(normal_c, normal_d), along), precise_dot(normal_c, normal_d));
    // The short way round: from just below pi to just above -pi is a small change.
    precise float error = angle - rest_angle;
    precise float turned = error > PI ? -2.0 * PI : error < -PI ? 2.0 * PI : 0.0;
    float delta_lambda =
        constraint_delta_lambda(error + turned, lambda, weight_sum, compliance, parameters.substep_dt);
    precise float changed = lambda + delta_lambda;
    lambda = changed;
    a.xyz = corrected(a.xyz, a.w * delta_lambda, gradient_a);
    b.xyz = corrected(b.xyz, b.w * delta_lambda, gradient_b);
    c.xyz = corrected(c.xyz, c.w * delta_lambda, gradient_c);
    d.xyz = corrected(d.xyz, d.w * delta_lambda, gradient_d);
}
