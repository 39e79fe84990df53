// What the draw passes of one image share.

// What is shown beside shapes.
const uint SHOWN_LOOKS = 0;
const uint SHOWN_STRETCH = 1;
const uint SHOWN_LEVELS = 2;
const uint SHOWN_VELOCITY = 3;
const uint SHOWN_CONTACTS = 4;
const uint SHOWN_WIREFRAME = 5;
const uint SHOWN_BATCHES = 6;
const uint SHOWN_PINS = 7;

// What has the last colour of the scale in the view of stretch: 10 %.
const float FULL_STRETCH = 0.10;

layout(std140, binding = 5) uniform ViewParameters {
    mat4 clip_from_world;
    mat4 light_from_world; // the light's clip space
    vec4 camera_position;  // xyz: m
    vec4 light_direction;  // xyz: unit vector towards the light
    vec4 front_color;      // rgb, linear
    vec4 back_color;       // rgb, linear
    vec4 second_color;     // rgb, linear, of stripes and squares
    vec4 collider_color;   // rgb, linear
    vec4 background;       // rgb, linear
    vec4 floor_disc;       // xyz: centre, m; w: radius, m
    float alpha;           // share of the last step that has passed, 0 to 1
    uint shown;
    vec2 extent;            // pixels, across and down
    float pixels_per_point; // of the display
    float full_speed;       // m/s, what has the last colour of the scale
    float step_dt;          // s
    uint pattern;           // what is printed on the cloth
    vec2 cloth_size;        // m, of a grid, across and down
    float squares;          // of a checkerboard, each way
} view;
