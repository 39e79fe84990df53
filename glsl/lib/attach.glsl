// Moves attached particles with their attachments to where these are at the end of a substep. A file that includes this
// says how a particle is put: place_particle(index, position, velocity, inverse mass).

#include "lib/pose.glsl"

layout(local_size_x = 64) in;

#include "lib/element.glsl"

struct AttachedParticle {
    vec4 place; // xyz: m, in the attachment's frame; w: inverse mass once it is let go, 1/kg
    uint index;
    uint attachment;
    uvec2 padding;
};

struct Attachment {
    vec4 start_position; // xyz: m, at the start of the step
    vec4 start_rotation; // unit quaternion xyzw
    vec4 end_position;
    vec4 end_rotation;
    int release_substep; // of this step, at whose end it lets go
};

layout(std430, binding = 2) readonly buffer AttachedParticles {
    AttachedParticle attached_particles[];
};
layout(std430, binding = 3) readonly buffer Attachments {
    Attachment attachments[];
};

layout(push_constant) uniform AttachPush {
    uint attached_count;
    int substep;
    float start; // share of the step, 0 to 1
    float end;
    float substep_dt; // s
} push;

vec3 position_at(Attachment attachment, vec3 place, float share) {
    vec4 rotation = rotation_between(attachment.start_rotation, attachment.end_rotation, share);
    return mix(attachment.start_position.xyz, attachment.end_position.xyz, share) + rotate(rotation, place);
}

void main() {
    uint index = element_index();
    if (index >= push.attached_count) return;
    AttachedParticle particle = attached_particles[index];
    Attachment attachment = attachments[particle.attachment];
    if (push.substep > attachment.release_substep) return;
    vec3 position = position_at(attachment, particle.place.xyz, push.end);
    vec3 velocity = (position - position_at(attachment, particle.place.xyz, push.start)) / push.substep_dt;
    float inverse_mass = push.substep < attachment.release_substep ? 0.0 : particle.place.w;
    place_particle(particle.index, position, velocity, inverse_mass);
}
