//! Twin of `attach/move`: particles that are carried along a path, and let go.

use std::cmp::Ordering;

use glam::{Quat, Vec3, Vec4};

use crate::layout::{AttachPush, AttachedParticle, Attachment};

/// Moves each attached particle to its place at the end of the substep, at the velocity of the way there. Positions are
/// xyz \[m\] and inverse mass, velocities xyz \[m/s\]; shapes \[particle_count\].
///
/// # Panics
/// Where a particle or an attachment is named that is not there.
pub fn move_attached(
    particles: &[AttachedParticle],
    attachments: &[Attachment],
    push: &AttachPush,
    positions: &mut [Vec4],
    velocities: &mut [Vec4],
) {
    for particle in &particles[..push.attached_count as usize] {
        if let Some((position, velocity)) = moved(particle, attachments, push) {
            positions[particle.index as usize] = position;
            velocities[particle.index as usize] = velocity;
        }
    }
}

/// Position, with the inverse mass, and velocity of one attached particle at the end of the substep; none once it is let
/// go.
pub(crate) fn moved(
    particle: &AttachedParticle,
    attachments: &[Attachment],
    push: &AttachPush,
) -> Option<(Vec4, Vec4)> {
    let attachment = &attachments[particle.attachment as usize];
    let inverse_mass = match push.substep.cmp(&attachment.release_substep) {
        Ordering::Less => 0.0,
        Ordering::Equal => particle.place.w,
        Ordering::Greater => return None,
    };
    let [before, after] = [push.start, push.end].map(|share| place_at(attachment, particle.place.truncate(), share));
    Some((after.extend(inverse_mass), ((after - before) / push.substep_dt).extend(0.0)))
}

/// Where a place in the attachment's frame is at a share of the step.
fn place_at(attachment: &Attachment, place: Vec3, share: f32) -> Vec3 {
    let position = attachment.start_position.truncate().lerp(attachment.end_position.truncate(), share);
    let [start, end] = [attachment.start_rotation, attachment.end_rotation].map(Quat::from_vec4);
    position + start.lerp(end, share) * place
}
