//! `rope`: Verlet integration with distance constraints on chains, after document 004.
//!
//! A step is one dispatch: each subgroup takes one rope through all substeps in its registers, or each workgroup in its shared
//! memory.

use glam::{Vec3, Vec4};

use super::rope_hand::RopeHand;
use super::rope_list::{RopeList, all_during};
use super::state::truncated;
use super::teleport::Teleport;
use super::{Colliders, Motion, Particles, Path, Solver, State, Step};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{self, RopeParameters, RopePush};
use crate::model::{Carried, Collider, Grip, Jump, Rope, Ropes};
use crate::shaders;

/// Planes of the state, each a float a particle: x, y, z, previous x, y, z, the level of detail, and what hands have
/// done: [`PINNED`], [`LET_GO`], or 0.
const PLANES: usize = 8;
/// The last of them.
const PINS: usize = 7;
/// Where a hand has pinned a particle.
pub(super) const PINNED: f32 = 1.0;
/// Where a hand has let it go.
pub(super) const LET_GO: f32 = -1.0;

/// How long the baked motion takes to start again \[s\]: ropes sway a whole number of times in it, so that an `f32`
/// holds the time within it however long a simulation runs.
const SWAY_LOOP: f64 = 64.0;

/// What the solver is set to, beyond the [`Step`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RopeSettings {
    /// Share of the implicit velocity that one substep loses, 0 to 1.
    pub velocity_loss: f32,
    /// An acceleration beside gravity, of every particle \[m/s²\].
    pub external_acceleration: Vec3,
    /// Levels of detail; without them every rope is simulated in full.
    pub detail: Option<RopeDetail>,
    /// Whether ropes are kept in registers on the GPU, where they fit, or all in shared memory.
    pub path: Path,
}

/// How ropes are coarser in the distance: at level 1 every second particle is simulated and half the iterations are
/// made, at level 2 every fourth and a quarter, and at level 3 the rope sways about its anchors in a motion baked
/// beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeDetail {
    /// Distances from the camera beyond which ropes are at level 1, 2 and 3 \[m\], in ascending order.
    pub distances: [f32; 3],
    /// Share of such a distance that a rope has to be beyond or within it, so as not to go back and forth.
    pub hysteresis: f32,
    /// Time in which what differs between two levels falls to a tenth and less after a change, (1 + 4) / e^4 of it
    /// \[s\].
    pub blend_time: f32,
    /// How far ropes at level 3 sway to either side \[rad\].
    pub sway_angle: f32,
}

impl RopeDetail {
    /// Time constant of a deviation, T of (1 + t / T) exp(-t / T) \[s\].
    fn time_constant(&self) -> f32 {
        self.blend_time / 4.0
    }
}

impl RopeSettings {
    /// The uniform block of a step.
    #[must_use]
    pub fn parameters(&self, step: &Step) -> RopeParameters {
        let distances =
            self.detail.map_or(Vec4::ZERO, |detail| Vec3::from_array(detail.distances).extend(detail.hysteresis));
        let kept = |detail: RopeDetail| (-step.substep_dt() / detail.time_constant()).exp();
        RopeParameters {
            acceleration: self.acceleration(step).extend(0.0),
            level_distances: distances,
            velocity_loss: self.velocity_loss,
            substep_dt: step.substep_dt(),
            substeps: step.substeps,
            iterations: step.iterations,
            deviation_kept: self.detail.map_or(0.0, kept),
            sway_angle: self.detail.map_or(0.0, |detail| detail.sway_angle),
            padding: [0; 2],
        }
    }

    fn acceleration(&self, step: &Step) -> Vec3 {
        step.gravity + self.external_acceleration
    }

    /// What the kernel sees of `ropes` during the step from `start` to `end` \[s\], and of how they `rest`.
    #[must_use]
    pub fn ropes(&self, ropes: &Ropes, sways: &[Option<RopeSway>], start: f64, end: f64) -> Vec<layout::Rope> {
        all_during(ropes, sways, None, start, end)
    }

    /// Whether ropes move in a motion baked beforehand.
    pub(super) fn sways(&self) -> bool {
        self.detail.is_some_and(|detail| detail.sway_angle != 0.0)
    }

    /// How each of `ropes` sways at level 3, and its particles at rest, from the first end that is held, in xyz \[m\];
    /// shape \[particle_count\]. Ropes without a baked motion have zeros.
    #[must_use]
    pub fn baked(&self, ropes: &Ropes, step: &Step) -> (Vec<Option<RopeSway>>, Vec<Vec4>) {
        let (mut sways, mut rests) = (Vec::new(), Vec::new());
        for rope in ropes.ropes() {
            let rest = self.detail.and_then(|_| rope.rest(self.acceleration(step)));
            let frequency = |frequency: f32| (f64::from(frequency) * SWAY_LOOP).round() / SWAY_LOOP;
            sways.push(
                rest.as_ref().map(|rest| RopeSway { axis: rest.axis, frequency: frequency(rest.frequency) as f32 }),
            );
            match rest {
                Some(rest) => rests.extend(rest.offsets.iter().map(|offset| offset.extend(0.0))),
                None => rests.resize(rests.len() + rope.particles.len(), Vec4::ZERO),
            }
        }
        (sways, rests)
    }

    /// The push constants of the step that starts at `time` \[s\], seen from `camera` \[m\]; without one, every rope is
    /// simulated in full.
    #[must_use]
    pub fn push(&self, camera: Option<Vec3>, time: f64, collider_count: usize) -> RopePush {
        let coarsest = if self.detail.is_some() && camera.is_some() { 3 } else { 0 };
        let camera = camera.unwrap_or_default().extend(time.rem_euclid(SWAY_LOOP) as f32);
        RopePush { camera, collider_count: collider_count as u32, coarsest, ..Default::default() }
    }
}

/// The motion that is baked for a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeSway {
    /// What the rope turns about: a unit vector through the held end or ends.
    pub axis: Vec3,
    /// How often a second \[Hz\].
    pub frequency: f32,
}

/// Positions in xyz \[m\], and in w what hands have done, of the planes of a state; shape \[particle_count\].
pub(super) fn positions(planes: &[f32]) -> Vec<Vec4> {
    let pins = &planes[PINS * planes.len() / PLANES..];
    places(planes)[0].iter().zip(pins).map(|(place, &pin)| place.extend(pin)).collect()
}

/// Where particles are and where they were one substep ago \[m\], of the planes of a state; shapes \[particle_count\].
fn places(planes: &[f32]) -> [Vec<Vec3>; 2] {
    let size = planes.len() / PLANES;
    [0, 3].map(|first| {
        let [x, y, z] = [0, 1, 2].map(|axis| &planes[(first + axis) * size..][..size]);
        x.iter().zip(y).zip(z).map(|((&x, &y), &z)| Vec3::new(x, y, z)).collect()
    })
}

/// The level of detail of each rope in the planes of a state.
fn levels_in(planes: &[f32], ropes: &Ropes) -> Vec<u32> {
    let levels = &planes[6 * ropes.positions().len()..];
    ropes.ropes().iter().map(|rope| levels[rope.particles.start as usize] as u32).collect()
}

/// The state at `time` \[s\] that planes hold, a substep being `substep_dt` \[s\].
pub(super) fn state_of(planes: &[f32], ropes: &Ropes, time: f64, substep_dt: f32) -> State {
    let [now, before] = places(planes);
    State { levels: levels_in(planes, ropes), ..State::of_places(time, &now, &before, substep_dt) }
}

/// Invocations of a workgroup that keeps a rope in its shared memory.
const SHARED_WORKGROUP: u32 = 64;
/// Invocations of a workgroup of subgroups, where each keeps a rope in its registers; it divides by every size of them.
const SUBGROUP_WORKGROUP: u32 = 128;

/// From how many ropes on those with colliders are faster in registers, where an invocation takes two particles out of them one
/// after the other. On an NVIDIA H200 500 ropes take 1.3 times as long in registers, and 10,000 half as long; levels of detail,
/// whose ropes need shared memory, cost 1.1 to 1.4 times as much.
const MANY_ROPES: usize = 2000;

/// The kernel that moves these ropes, and how many of its invocations take each.
fn kernel(device: &Device, ropes: &Ropes, settings: &RopeSettings, collides: bool) -> engine::Result<(Kernel, u32)> {
    let counts = || ropes.ropes().iter().map(|rope| rope.particles.len() as u32);
    let longest = counts().max().unwrap_or_default();
    let rope_count = ropes.ropes().len();
    // An invocation keeps two particles in registers.
    let fitting = |&size: &u32| counts().filter(|&count| count <= 2 * size).count();
    let is_faster = |size: &u32| {
        let is_crowded = !collides || rope_count >= MANY_ROPES;
        settings.detail.is_none() && fitting(size) == rope_count && is_crowded
    };
    let is_taken = |size: &u32| match settings.path {
        Path::Fused => 2 * fitting(size) >= rope_count,
        path => path.joins_on(device) && is_faster(size),
    };
    let Some(size) = device.subgroup_size().filter(is_taken) else {
        let constants = [SHARED_WORKGROUP, longest, collides.into()];
        return Ok((Kernel::specialised(device, &shaders::ROPE_STEP, &constants)?, SHARED_WORKGROUP));
    };
    // What is kept in shared memory has barriers, which no other subgroup comes to.
    let is_without_memory = settings.detail.is_none() && fitting(&size) == rope_count;
    let (workgroup, most_shared) = if is_without_memory { (size.max(SUBGROUP_WORKGROUP), 1) } else { (size, longest) };
    let constants = [workgroup, most_shared, collides.into()];
    Ok((Kernel::specialised(device, &shaders::ROPE_STEP_SUBGROUP, &constants)?, size))
}

/// The solver on the GPU.
pub struct RopeVerlet {
    step: Step,
    settings: RopeSettings,
    ropes: Ropes,
    camera: Option<Vec3>,
    planes: Buffer,
    rope_buffer: Buffer,
    /// What `rope_buffer` holds once the steps recorded so far have run.
    list: RopeList,
    colliders: Colliders,
    hand: RopeHand,
    teleport: Teleport,
    /// Particles that are pinned, or let go, with the next recording, and the flag that says so.
    pending: Vec<(u32, f32)>,
    bindings: Bindings<Kernel>,
    /// Of each rope.
    invocations: u32,
}

impl RopeVerlet {
    /// Puts ropes on the device, at rest.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the ropes are larger than the device can bind, or what the engine reports.
    ///
    /// # Panics
    /// Where the step has no substep.
    pub fn new(
        device: &Device,
        ropes: &Ropes,
        colliders: &[Collider],
        step: Step,
        settings: RopeSettings,
    ) -> engine::Result<Self> {
        assert!(step.substeps > 0, "a step has a substep");
        let (sways, rests) = settings.baked(ropes, &step);
        let list = RopeList::new(ropes, sways, 0.0, f64::from(step.dt));
        let plane_bytes = (PLANES * size_of::<f32>() * ropes.positions().len()) as u64;
        let planes = Buffer::zeroed(device, "ropes.planes", plane_bytes)?;
        let rope_buffer = Buffer::from_slice(device, "ropes.list", list.list())?;
        let rests = Buffer::from_slice(device, "ropes.rests", &rests)?;
        let parameters = Buffer::from_slice(device, "ropes.parameters", &[settings.parameters(&step)])?;
        let colliders = Colliders::new(device, colliders)?;
        let (kernel, invocations) = kernel(device, ropes, &settings, !colliders.is_empty())?;
        let bindings = kernel.bind(&[
            ("Planes", (&planes).into()),
            ("Ropes", (&rope_buffer).into()),
            ("Rests", (&rests).into()),
            ("RopeParameters", (&parameters).into()),
            ("Colliders", colliders.buffer().into()),
        ])?;
        let ropes = ropes.clone();
        let mut solver = Self {
            step,
            settings,
            ropes,
            camera: None,
            planes,
            rope_buffer,
            list,
            colliders,
            hand: RopeHand::default(),
            teleport: Teleport::default(),
            pending: Vec::new(),
            bindings,
            invocations,
        };
        solver.reset()?;
        Ok(solver)
    }

    /// Sets where the particles were one substep ago and where they are, each xyz \[m\], shapes \[particle_count\], all
    /// ropes to level 0, and no particle pinned by hand.
    ///
    /// # Errors
    /// [`engine::Error::SizeMismatch`] where there are not as many as particles, or what the engine reports.
    pub fn write(&mut self, previous: &[Vec3], current: &[Vec3]) -> engine::Result<()> {
        self.write_at(previous, current, &[])
    }

    /// As [`RopeVerlet::write`], with each rope at its level of detail, or at 0 where `levels` does not have it.
    fn write_at(&mut self, previous: &[Vec3], current: &[Vec3], levels: &[u32]) -> engine::Result<()> {
        let plane = |from: &[Vec3], axis: usize| from.iter().map(|place| place[axis]).collect::<Vec<_>>();
        let places = [current, previous].map(|from| [0, 1, 2].map(|axis| plane(from, axis)).concat());
        let level = |(index, rope): (usize, &Rope)| {
            let level = levels.get(index).copied().unwrap_or_default() as f32;
            vec![level; rope.particles.len()]
        };
        let levels: Vec<f32> = self.ropes.ropes().iter().enumerate().flat_map(level).collect();
        self.planes.write(&[places.concat(), levels, vec![0.0; current.len()]].concat())
    }

    /// Waits for the device and reads the level of detail of each rope, 0 to 3. Shape \[rope_count\].
    ///
    /// # Errors
    /// What the engine reports.
    pub fn levels(&self) -> engine::Result<Vec<u32>> {
        Ok(levels_in(&self.planes.read()?, &self.ropes))
    }
}

impl Solver for RopeVerlet {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        let end = time + f64::from(self.step.dt);
        self.record_hands(recorder)?;
        self.colliders.record(recorder, time, end)?;
        let changed = self.list.advance(&self.ropes, &self.hand, time, end);
        if !changed.is_empty() {
            let offset = size_of::<layout::Rope>() * changed.start;
            recorder.update_from(&self.rope_buffer, offset as u64, &self.list.list()[changed])?;
        }
        let push = self.hand.push(self.settings.push(self.camera, time, self.colliders.list().len()));
        recorder.dispatch(&self.bindings, &push, [self.invocations * self.ropes.ropes().len() as u32, 1, 1])
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        for (particle, flag) in self.pending.drain(..) {
            let place = PINS * self.ropes.positions().len() + particle as usize;
            recorder.update_from(&self.planes, (size_of::<f32>() * place) as u64, &[flag])?;
        }
        Ok(())
    }

    fn record_jumps(&mut self, recorder: &mut Recorder<'_>, carried: &Carried) -> engine::Result<()> {
        self.teleport.record_planes(recorder, &self.planes, carried)
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.list.set_frame(frame);
    }

    fn particles(&self) -> Vec<Particles> {
        vec![Particles::Planes(self.planes.clone())]
    }

    fn motions(&self) -> Vec<Motion> {
        vec![Motion::InPlanes]
    }

    fn current(&self) -> usize {
        0
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.hand = RopeHand::default();
        self.pending.clear();
        self.colliders.reset()?;
        let start = truncated(self.ropes.positions());
        self.write(&start, &start)
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        Ok(state_of(&self.planes.read::<f32>()?, &self.ropes, time, self.step.substep_dt()))
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.hand = RopeHand::default();
        self.pending.clear();
        let [previous, current] = state.places(&state.positions_as(self.ropes.positions()), self.step.substep_dt());
        self.write_at(&truncated(&previous), &truncated(&current), &state.levels)
    }

    fn set_camera(&mut self, position: Vec3) {
        self.camera = Some(position);
    }

    fn is_driven(&self, _time: f64) -> bool {
        self.settings.sways()
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.hand.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        assert!((particle as usize) < self.ropes.positions().len(), "there is no particle {particle}");
        self.hand.touch(particle);
        self.pending.push((particle, if inverse_mass == 0.0 { PINNED } else { LET_GO }));
    }

    fn colliders(&self) -> &Colliders {
        &self.colliders
    }

    fn colliders_mut(&mut self) -> &mut Colliders {
        &mut self.colliders
    }

    fn constraint_count(&self) -> usize {
        self.ropes.links().len()
    }

    fn batch_count(&self) -> usize {
        2
    }

    fn passes(&self) -> Vec<(String, u32)> {
        vec![(self.bindings.pipeline().name().to_string(), 1)]
    }
}
