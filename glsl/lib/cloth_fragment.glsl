// Two-sided cloth: each side has its colour and shows the pattern, and thin cloth glows when the light is behind it. Or the
// colour says how far it is stretched or how fast it goes, or is none where something else is drawn over it. Who includes
// this says of a fragment `rest_place()` and `pattern_place()`.

#include "lib/lighting.glsl"
#include "lib/stretch.glsl"
#include "lib/colors.glsl"
#include "lib/pattern.glsl"

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in float speed;
layout(location = 0) out vec4 color;

vec3 rest_place();    // m
vec2 pattern_place(); // from 0 to 1 across and down the pattern

// Whether colours mean something: these are lit little enough to be told apart.
bool measures() {
    return view.shown == SHOWN_STRETCH || view.shown == SHOWN_VELOCITY;
}

vec3 albedo() {
    if (view.shown == SHOWN_STRETCH) return scale_color(largest_stretch(world_position, rest_place()) / FULL_STRETCH);
    if (view.shown == SHOWN_VELOCITY) return scale_color(speed / view.full_speed);
    if (view.shown == SHOWN_BATCHES || view.shown == SHOWN_CONTACTS) return vec3(0.02);
    vec3 side = gl_FrontFacing ? view.front_color.rgb : view.back_color.rgb;
    return printed(pattern_place(), side, gl_FrontFacing);
}

void main() {
    vec3 normal = normalize(world_normal);
    if (!gl_FrontFacing) normal = -normal;
    vec3 to_camera = normalize(view.camera_position.xyz - world_position);
    vec3 to_light = view.light_direction.xyz;
    float facing = dot(normal, to_light);
    float lit = lit_share(world_position);

    float diffuse = max(facing, 0.0) * lit;
    float through = 0.35 * max(-facing, 0.0) * (0.4 + 0.6 * lit);
    vec3 half_way = normalize(to_light + to_camera);
    float sheen = 0.035 * pow(max(dot(normal, half_way), 0.0), 20.0) * lit;
    float rim = 0.04 * pow(1.0 - max(dot(normal, to_camera), 0.0), 3.0);

    if (measures()) {
        color = vec4(albedo() * (0.6 + 0.4 * max(facing, 0.0)), 1.0);
        return;
    }
    vec3 light = KEY_LIGHT * (diffuse + through) + ambient_light(normal);
    color = vec4(tone_map(albedo() * light + KEY_LIGHT * sheen + rim * ambient_light(normal)), 1.0);
}
