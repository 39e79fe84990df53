// What the draw passes of one image share.

// What is shown beside shapes.
const uint SHOWN_LOOKS = 0;
const uint SHOWN_STRETCH = 1;
const uint SHOWN_LEVELS = 2;

layout(std140, binding = 5) uniform ViewParameters {
    mat4 clip_from_world;
    mat4 light_from_world; // the light's clip space
    vec4 camera_position;  // xyz: m
    vec4 light_direction;  // xyz: unit vector towards the light
    vec4 front_color;      // rgb, linear
    vec4 back_color;       // rgb, linear
    vec4 stripe_color;     // rgb, linear; w: width of a stripe, m, 0 for none
    vec4 collider_color;   // rgb, linear
    vec4 background;       // rgb, linear
    vec4 floor_disc;       // xyz: centre, m; w: radius, m
    float alpha;           // share of the last step that has passed, 0 to 1
    uint shown;
} view;
