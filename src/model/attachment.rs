//! Particles that are carried along a path, and let go.

use glam::Vec3;

use super::{Cloth, Jump, Path};
use crate::layout;

/// A particle that an attachment carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttachedParticle {
    /// Its index.
    pub index: u32,
    /// Where it is in the attachment's frame \[m\].
    pub place: Vec3,
    /// Its inverse mass once it is let go \[1/kg\].
    pub inverse_mass: f32,
}

/// Particles that move along a path as one rigid body, whatever pulls at them.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// What it carries.
    pub particles: Vec<AttachedParticle>,
    /// Where its frame is.
    pub path: Path,
    /// When it lets go \[s\], if ever: at the end of the first substep that reaches this time.
    pub release: Option<f64>,
}

impl Attachment {
    /// What the kernels see of it during a step of `substeps` substeps of `substep_dt` \[s\] that starts at `start` \[s\], where
    /// its path has been carried to `frame`, if it has been.
    #[must_use]
    pub fn during(&self, start: f64, substep_dt: f64, substeps: u32, frame: Option<Jump>) -> layout::Attachment {
        let poses = self.path.during(start, start + substep_dt * f64::from(substeps));
        let [from, to] = poses.map(|pose| frame.map_or(pose, |frame| frame.pose(pose)));
        layout::Attachment {
            start_position: from.position.extend(0.0),
            start_rotation: from.rotation.into(),
            end_position: to.position.extend(0.0),
            end_rotation: to.rotation.into(),
            release_substep: self.release.map_or(i32::MAX, |release| release_substep(release, start, substep_dt)),
            padding: [0; 3],
        }
    }
}

/// The substep at whose end something is let go, counted from the one that starts at `start`; those before are negative.
///
/// It is counted from the beginning, in whole substeps, so that the steps agree on it.
fn release_substep(release: f64, start: f64, substep_dt: f64) -> i32 {
    // What lies a rounding error behind the end of a substep belongs to that end.
    let number = ((release / substep_dt) * (1.0 - 1e-9)).ceil().max(1.0) - 1.0;
    // The cast saturates.
    (number - (start / substep_dt).round()) as i32
}

impl Cloth {
    /// Attaches `particles` to a frame that moves along `path`, and lets go of them at `release` \[s\], if ever. Where
    /// the path begins, each is where it is now.
    ///
    /// # Panics
    /// Where an index isn't below the number of particles, or a particle is pinned or attached already: it would have
    /// no mass to be let go with.
    pub fn attach(&mut self, particles: impl IntoIterator<Item = u32>, path: Path, release: Option<f64>) {
        let frame = path.at(f64::NEG_INFINITY);
        let particles = particles.into_iter().map(|index| {
            let particle = &mut self.positions[index as usize];
            assert!(particle.w > 0.0, "particle {index} is held already");
            let place = frame.rotation.conjugate() * (particle.truncate() - frame.position);
            AttachedParticle { index, place, inverse_mass: std::mem::take(&mut particle.w) }
        });
        let particles = particles.collect();
        self.attachments.push(Attachment { particles, path, release });
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec4};

    use super::*;
    use crate::model::{Grid, GridPlane, Pose};

    #[test]
    fn a_particle_is_let_go_at_the_end_of_the_first_substep_that_reaches_the_time() {
        // Substeps of 1/4 s, counted from the beginning: number 7 ends at 2 s.
        for (release, number) in [(1e-9, 0), (0.25, 0), (0.26, 1), (1.99, 7), (2.0, 7), (2.01, 8)] {
            for start in 0..20 {
                assert_eq!(release_substep(release, f64::from(start) * 0.25, 0.25), number - start, "{release} s");
            }
        }
        // A substep that no f64 holds exactly: 0.7 s is the end of number 6, to rounding.
        assert_eq!(release_substep(0.1 + 0.2 + 0.4, 0.0, 0.1), 6);
        assert_eq!(release_substep(1e300, 0.0, 0.1), i32::MAX);
    }

    #[test]
    fn what_is_attached_keeps_its_place_in_the_frame_and_its_mass() {
        let grid = Grid { columns: 2, rows: 1, spacing: 1.0 };
        let mut cloth = Cloth::from_grid(grid, GridPlane::Vertical, 0.5, false);
        let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let pose = |y| Pose { position: Vec3::new(0.5, y, 0.0), rotation: turned };
        let path = Path::through(vec![(1.0, pose(0.0)), (2.0, pose(3.0))]).expect("in order");
        cloth.attach([0], path, Some(5.0));
        assert_eq!(cloth.positions, [Vec4::new(-0.5, 0.0, 0.0, 0.0), Vec4::new(0.5, 0.0, 0.0, 2.0)]);
        let AttachedParticle { index, place, inverse_mass } = cloth.attachments[0].particles[0];
        assert_eq!((index, inverse_mass), (0, 2.0));
        // A metre to the left of the frame, whose y axis points there.
        assert!(place.distance(Vec3::Y) < 1e-6, "{place}");
    }

    #[test]
    #[should_panic(expected = "particle 1 is held already")]
    fn a_particle_has_one_attachment() {
        let mut cloth = Cloth::from_grid(Grid { columns: 2, rows: 1, spacing: 1.0 }, GridPlane::Vertical, 1.0, false);
        cloth.pin([1]);
        let path = Path::resting(Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY });
        cloth.attach([0, 1], path, None);
    }
}
