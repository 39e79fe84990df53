//! Looks at a simulation after a step: what is not finite, and the greatest speed, strain, depth and error.
//!
//! On the device that is one dispatch, which writes nothing but its own result, into one of a few slots that take turns. A solver
//! on the CPU is looked at there.

use std::ops::Range;

use super::watched_springs::WatchedSprings;
use super::{Motion, Particles, Simulation, Step};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder, ShaderCode, Staging, WindowLimits, Windows};
use crate::layout::{Constraint, LOOKS_KEPT, Look, LookPush, MOST_LOOK_WORKGROUPS};
use crate::model::collider_samples;
use crate::shaders;

/// What looks at one simulation.
pub struct Watch {
    /// On a device, without the lists that it has.
    springs: WatchedSprings,
    spring_count: usize,
    by: By,
    /// How many looks have been recorded.
    looks: u64,
}

enum By {
    Device(OnDevice),
    /// The samples of the colliders, which stay.
    Host(Vec<f32>),
}

struct OnDevice {
    results: Buffer,
    windows: Vec<Range<u32>>,
    /// For each place of the particles, the pass over each window of the springs.
    places: Vec<Vec<Bindings<Kernel>>>,
    particle_count: u32,
    /// Most workgroups of a look: where each is a thread that goes through them one by one, fewer take less time.
    most_workgroups: u32,
}

/// Where a look is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LookPlace {
    /// In this slot of what [`Watch::download`] copies.
    Slot(usize),
    /// Here.
    Known(Look),
}

impl Watch {
    /// How many looks can be recorded until the first of them has to be downloaded.
    pub const SLOTS: usize = LOOKS_KEPT;

    /// Prepares to look at `simulation`.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, simulation: &Simulation) -> engine::Result<Self> {
        let mut springs = WatchedSprings::of(simulation.body(), simulation.constraint_counts().0 > 0);
        let spring_count = springs.list.len();
        let (particles, motions) = (simulation.particles(), simulation.motions());
        let by = if motions.iter().any(|motion| matches!(motion, Motion::OnHost)) {
            By::Host(collider_samples(simulation.colliders().list()))
        } else {
            let by = OnDevice::new(device, simulation, &springs, &particles, &motions)?;
            (springs.list, springs.structural) = (Vec::new(), Vec::new());
            By::Device(by)
        };
        Ok(Self { springs, spring_count, by, looks: 0 })
    }

    /// Records a look at `simulation` as it is after the steps recorded so far, and says where it is to be found.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(&mut self, recorder: &mut Recorder<'_>, simulation: &mut Simulation) -> engine::Result<LookPlace> {
        let elongation = simulation.pbd_settings_mut().map_or(1.0, |settings| settings.elongation);
        let place = match &self.by {
            By::Device(device) => {
                let slot = (self.looks % LOOKS_KEPT as u64) as usize;
                device.record(recorder, simulation, slot, elongation)?;
                LookPlace::Slot(slot)
            }
            By::Host(samples) => {
                let (state, intact) = (simulation.moving()?, simulation.intact()?);
                let colliders = (simulation.colliders().seen(), &samples[..]);
                LookPlace::Known(self.springs.look(&state, intact.as_deref(), colliders, elongation))
            }
        };
        self.looks += 1;
        Ok(place)
    }

    /// Memory for the looks in all slots to be read back to; none where they are known at once.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn staging(&self, device: &Device) -> engine::Result<Option<Staging>> {
        match &self.by {
            By::Device(_) => {
                Staging::readback(device, "watch.looks", (LOOKS_KEPT * size_of::<Look>()) as u64).map(Some)
            }
            By::Host(_) => Ok(None),
        }
    }

    /// The looks in all slots, in what was read back to; waits for that.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn read(&self, staging: &Staging) -> engine::Result<Vec<Look>> {
        Ok(staging.read::<Look>()?.into_iter().map(|look| self.springs.numbered(look)).collect())
    }

    /// How many springs are looked at.
    #[must_use]
    pub fn spring_count(&self) -> usize {
        self.spring_count
    }

    /// Records that the looks in all slots are read back.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn download(&self, recorder: &mut Recorder<'_>, target: &Staging) -> engine::Result<()> {
        match &self.by {
            By::Device(device) => recorder.download_from(&device.results, 0, target),
            By::Host(_) => Ok(()),
        }
    }
}

impl OnDevice {
    fn new(
        device: &Device,
        simulation: &Simulation,
        springs: &WatchedSprings,
        particles: &[Particles],
        motions: &[Motion],
    ) -> engine::Result<Self> {
        let bytes = (LOOKS_KEPT + MOST_LOOK_WORKGROUPS) * size_of::<Look>() + 16;
        let results = Buffer::zeroed(device, "watch.looks", bytes as u64)?;
        let mut bits = vec![0_u32; springs.structural.len().div_ceil(32)];
        for (index, _) in springs.structural.iter().enumerate().filter(|(_, is_structural)| **is_structural) {
            bits[index / 32] |= 1 << (index % 32);
        }
        let structural = Buffer::from_slice(device, "watch.structural", &bits)?;
        let constraints = match simulation.constraints() {
            Some(constraints) => constraints.clone(),
            None => Buffer::from_slice(device, "watch.springs", &springs.list)?,
        };
        let element_bytes = size_of::<Constraint>() as u64;
        let windows = Windows::new(springs.list.len() as u32, &[element_bytes], &WindowLimits::of(device));
        let place = |(particles, motion): (&Particles, &Motion)| {
            let (shader, moves): (&ShaderCode<'_>, _) = match motion {
                Motion::Velocities(velocities) => (&shaders::WATCH_LOOK, Some(("Velocities", velocities.into()))),
                Motion::Previous(previous) => {
                    (&shaders::WATCH_LOOK_PREVIOUS, Some(("PreviousPositions", previous.into())))
                }
                Motion::PreviousImage(previous) => (&shaders::WATCH_LOOK_IMAGE, Some(("u_PrevPos", previous.into()))),
                Motion::InPlanes | Motion::OnHost => (&shaders::WATCH_LOOK_PLANES, None),
            };
            let kernel = Kernel::new(device, shader)?;
            let bind = |window: Range<u32>| {
                let whole = [
                    particles.resource(),
                    ("Constraints", windows.resource(&window, &constraints, element_bytes)),
                    ("Structural", (&structural).into()),
                    ("Looks", (&results).into()),
                    ("Colliders", simulation.colliders().buffer().into()),
                ];
                kernel.bind(&whole.into_iter().chain(moves).collect::<Vec<_>>())
            };
            windows.each().map(bind).collect()
        };
        let places = particles.iter().zip(motions).map(place).collect::<engine::Result<_>>()?;
        let particle_count = simulation.body().positions().len() as u32;
        let most_workgroups = if device.is_software() { 4 } else { MOST_LOOK_WORKGROUPS as u32 };
        Ok(Self { windows: windows.each().collect(), results, places, particle_count, most_workgroups })
    }

    fn record(
        &self,
        recorder: &mut Recorder<'_>,
        simulation: &Simulation,
        slot: usize,
        elongation: f32,
    ) -> engine::Result<()> {
        for (number, (window, bindings)) in self.windows.iter().zip(&self.places[simulation.current()]).enumerate() {
            let push = LookPush {
                particle_count: if number == 0 { self.particle_count } else { 0 },
                spring_count: window.len() as u32,
                first_spring: window.start,
                slot: slot as u32,
                goes_on: (number > 0).into(),
                collider_count: simulation.colliders().list().len() as u32,
                substep_dt: simulation.step().substep_dt(),
                elongation,
            };
            let [workgroup, ..] = bindings.pipeline().local_size();
            let invocations = push.particle_count.max(push.spring_count).max(1);
            recorder.dispatch(bindings, &push, [invocations.min(workgroup * self.most_workgroups), 1, 1])?;
        }
        Ok(())
    }
}

/// After how many steps another look costs less than 2 % of them, of which it takes about 1 in 50.
///
/// A look takes a dispatch and a copy, each with what they wait for, which is as long as three dispatches; and it visits each
/// particle and spring, half as fast as a dispatch of several substeps does. A step has its dispatches, but no substep or
/// iteration is shorter than a quarter of one; and in each substep it visits particles twice, and springs once an iteration.
#[must_use]
pub fn steps_between_looks(step: &Step, particle_count: usize, spring_count: usize, dispatch_count: u32) -> u64 {
    let [substeps, iterations] = [step.substeps, step.iterations].map(f64::from);
    let [particles, springs] = [particle_count, spring_count].map(|count| count as f64);
    let dispatches = f64::from(dispatch_count).max(substeps * (1.0 + iterations) / 4.0);
    let visits = substeps * (2.0 * particles + iterations * springs);
    let share = f64::max(3.0 / dispatches, 2.0 * (particles + springs) / visits.max(1.0));
    (50.0 * share).ceil() as u64
}
