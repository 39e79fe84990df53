//! What carries which particles of a body when it jumps.

use std::collections::HashMap;
use std::iter;

use glam::Vec4;

use super::components::Components;
use super::pins::is_past;
use super::{Attachment, Body, Jump, Path, Pins};

/// Which particles jump, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// For each particle the index of its jump, or [`Carried::STAYS`]. Shape \[particle_count\].
    pub jump_of: Vec<u32>,
    /// Always as many of one body.
    pub jumps: Vec<Jump>,
}

impl Carried {
    /// What stands for the jump of a particle that stays.
    pub const STAYS: u32 = u32::MAX;

    /// The jump of a particle, if it has one.
    fn jump(&self, particle: usize) -> Option<&Jump> {
        self.jumps.get(self.jump_of[particle] as usize)
    }

    /// Carries points in xyz \[m\]; their w stays. Shape \[particle_count\].
    pub(crate) fn carry_points(&self, points: &mut [Vec4]) {
        for (particle, point) in points.iter_mut().enumerate() {
            if let Some(jump) = self.jump(particle) {
                *point = jump.point(point.truncate()).extend(point.w);
            }
        }
    }

    /// Turns vectors in xyz. Shape \[particle_count\].
    pub(crate) fn carry_vectors(&self, vectors: &mut [Vec4]) {
        for (particle, vector) in vectors.iter_mut().enumerate() {
            if let Some(jump) = self.jump(particle) {
                *vector = jump.vector(vector.truncate()).extend(vector.w);
            }
        }
    }
}

/// What holds particles of a body along a path, and what hangs on it.
///
/// When a path jumps, all that hangs together with the particles on it jumps along; where several jump at once, with the first of
/// them. But particles that something else holds stay with that.
#[derive(Clone, Debug)]
pub struct Carriers {
    particle_count: usize,
    /// Empty where none of them ever jumps.
    movers: Vec<Mover>,
    /// For each particle, what it hangs together with. Empty as the movers are.
    components: Vec<u32>,
    /// Of what holds particles, the paths that do not rest and the times at which it lets go \[s\].
    changing: Vec<(Path, Option<f64>)>,
}

/// What holds particles along a path.
#[derive(Clone, Debug)]
struct Mover {
    path: Path,
    /// When it lets go \[s\], if ever.
    release: Option<f64>,
    particles: Vec<u32>,
}

impl Carriers {
    /// What carries the particles of `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let particle_count = body.positions().len();
        let movers = movers(body);
        let changes = |mover: &&Mover| mover.path.moves() || mover.release.is_some();
        let changing = movers.iter().filter(changes).map(|mover| (mover.path.clone(), mover.release)).collect();
        if !movers.iter().any(|mover| mover.path.jumps()) {
            return Self { particle_count, movers: Vec::new(), components: Vec::new(), changing };
        }
        let springs = body.springs().iter().map(|spring| spring.particles);
        let sides = match body {
            Body::Cloth(cloth) => &cloth.triangles[..],
            Body::Ropes(_) => &[],
        };
        let sides = sides.iter().flat_map(|&[a, b, c]| [[a, b], [b, c]]);
        let components = Components::of_pairs(particle_count, springs.chain(sides)).of;
        Self { particle_count, movers, components, changing }
    }

    /// Whether anything that holds particles moves, or lets go, in the step from `start` to `end` \[s\].
    #[must_use]
    pub fn act_during(&self, start: f64, end: f64) -> bool {
        let acts = |(path, release): &(Path, Option<f64>)| {
            !path.rests_during(start, end) || is_past(*release, end) && !is_past(*release, start)
        };
        self.changing.iter().any(acts)
    }

    /// All particles, by one jump.
    #[must_use]
    pub fn all_carried(&self, jump: Jump) -> Carried {
        let jumps = vec![jump; self.movers.len().max(1)];
        Carried { jump_of: vec![0; self.particle_count], jumps }
    }

    /// Which particles of `body` jump at the start of the step from `start` to `end` \[s\]; none where nothing does. `pins` are
    /// those of hands, and `frame` is where paths have been carried, if they have been.
    #[must_use]
    pub fn carried(&self, body: &Body, pins: &Pins, frame: Option<Jump>, start: f64, end: f64) -> Option<Carried> {
        let in_frame = |jump: Jump| frame.map_or(jump, |frame| jump.carried_by(&frame));
        let jumps = || self.movers.iter().map(|mover| mover.path.jump_during(start, end));
        if jumps().all(|jump| jump.is_none()) {
            return None;
        }
        let jumps: Vec<Option<Jump>> = jumps().collect();
        let starts_held = body.positions().iter().map(|position| position.w == 0.0);
        let mut holder: Vec<Holder> = starts_held.map(|held| if held { Holder::Rest } else { Holder::None }).collect();
        for (mover, number) in self.movers.iter().zip(0..) {
            let held = if is_past(mover.release, start) { Holder::None } else { Holder::Mover(number) };
            mover.particles.iter().for_each(|&particle| holder[particle as usize] = held);
        }
        for (particle, pinned) in pins.changes() {
            holder[particle as usize] = if pinned { Holder::Rest } else { Holder::None };
        }
        let jumping = |number: u32| jumps[number as usize].is_some();
        // The first that jumps of what holds a component.
        let mut first_of: HashMap<u32, u32> = HashMap::new();
        for (holder, component) in holder.iter().zip(&self.components) {
            if let &Holder::Mover(number) = holder
                && jumping(number)
            {
                let first = first_of.entry(*component).or_insert(number);
                *first = number.min(*first);
            }
        }
        let jump_of = holder.iter().zip(&self.components).map(|(holder, component)| match *holder {
            Holder::Mover(number) if jumping(number) => number,
            Holder::Mover(_) | Holder::Rest => Carried::STAYS,
            Holder::None => first_of.get(component).copied().unwrap_or(Carried::STAYS),
        });
        let jumps = jumps.iter().map(|jump| jump.map(in_frame).unwrap_or_default()).collect();
        Some(Carried { jump_of: jump_of.collect(), jumps })
    }
}

/// What holds a particle.
#[derive(Clone, Copy)]
enum Holder {
    None,
    /// Something that stays where it is.
    Rest,
    /// The mover with a number.
    Mover(u32),
}

fn movers(body: &Body) -> Vec<Mover> {
    match body {
        Body::Cloth(cloth) => {
            let mover = |attachment: &Attachment| Mover {
                path: attachment.path.clone(),
                release: attachment.release,
                particles: attachment.particles.iter().map(|particle| particle.index).collect(),
            };
            cloth.attachments.iter().map(mover).collect()
        }
        Body::Ropes(ropes) => {
            let ends = ropes.ropes().iter().flat_map(|rope| {
                let particles = [rope.particles.start, rope.particles.end - 1];
                iter::zip(particles, &rope.anchors).filter_map(|(particle, hold)| Some((particle, hold.as_ref()?)))
            });
            ends.map(|(particle, hold)| Mover {
                path: hold.path.clone(),
                release: hold.release,
                particles: vec![particle],
            })
            .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::model::{Cloth, Grid, GridPlane, Pose};

    const END: f64 = 0.25;

    /// At rest until it jumps by `x` metres at 0.1 s, if at all.
    fn path(x: Option<f32>) -> Path {
        let pose = |x| Pose { position: Vec3::X * x, rotation: Quat::IDENTITY };
        x.map_or(Path::resting(pose(0.0)), |x| Path::through(vec![(0.1, pose(0.0)), (0.1, pose(x))]).unwrap())
    }

    /// How far along x each of six particles in a row jumps, which `hold` holds.
    fn way(hold: impl Fn(&mut Cloth), pins: impl Fn(&Body, &mut Pins)) -> Option<[f32; 6]> {
        let mut cloth = Cloth::from_grid(Grid { columns: 6, rows: 1, spacing: 1.0 }, GridPlane::Vertical, 1.0, false);
        hold(&mut cloth);
        let body = Body::Cloth(cloth);
        let mut changed = Pins::default();
        pins(&body, &mut changed);
        let carried = Carriers::new(&body).carried(&body, &changed, None, 0.0, END)?;
        assert_eq!(Carriers::new(&body).carried(&body, &changed, None, END, 2.0 * END), None, "it jumps once");
        let mut points = [Vec4::ZERO; 6];
        carried.carry_points(&mut points);
        Some(points.map(|point| point.x))
    }

    #[test]
    fn what_hangs_on_what_jumps_jumps_along() {
        let none = |_: &Body, _: &mut Pins| ();
        assert_eq!(way(|cloth| cloth.attach([0], path(None), None), none), None);
        assert_eq!(way(|cloth| cloth.attach([0, 5], path(Some(3.0)), None), none), Some([3.0; 6]));
        // With the first of several, but what each holds with that one, and with none that has let go.
        let two = |releases: [Option<f64>; 2]| {
            move |cloth: &mut Cloth| {
                cloth.attach([5], path(Some(3.0)), releases[0]);
                cloth.attach([0], path(Some(1.0)), releases[1]);
            }
        };
        assert_eq!(way(two([None, None]), none), Some([1.0, 3.0, 3.0, 3.0, 3.0, 3.0]));
        assert_eq!(way(two([Some(0.0), None]), none), Some([1.0; 6]));
        assert_eq!(way(two([Some(0.0); 2]), none), Some([0.0; 6]));
    }

    #[test]
    fn what_something_else_holds_stays() {
        let hold = |cloth: &mut Cloth| {
            cloth.attach([0], path(Some(3.0)), None);
            cloth.attach([1], path(None), None);
            cloth.pin([2]);
        };
        assert_eq!(way(hold, |_, _| ()), Some([3.0, 0.0, 0.0, 3.0, 3.0, 3.0]));
        // Hands hold one more, and let go of one that rests.
        let hands = |body: &Body, pins: &mut Pins| {
            pins.set(body, 5, true);
            pins.set(body, 1, false);
        };
        assert_eq!(way(hold, hands), Some([3.0, 3.0, 0.0, 3.0, 3.0, 0.0]));
        // Of what hands have let go, nothing carries the others.
        let let_go = |body: &Body, pins: &mut Pins| {
            pins.set(body, 0, false);
        };
        assert_eq!(way(hold, let_go), Some([0.0; 6]));
    }

    #[test]
    fn pieces_jump_by_themselves() {
        // Two rows that nothing joins.
        let hold = |cloth: &mut Cloth| {
            cloth.springs.retain(|spring| spring.particles != [2, 3]);
            cloth.attach([0], path(Some(3.0)), None);
        };
        assert_eq!(way(hold, |_, _| ()), Some([3.0, 3.0, 3.0, 0.0, 0.0, 0.0]));
    }
}
