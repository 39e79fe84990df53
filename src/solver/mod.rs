//! The solvers on the GPU: each turns a [`Body`](crate::model::Body) and its settings into buffers, and records the
//! passes of a step. [`CpuSimulation`] does the same on the CPU.

mod air;
mod alarm;
mod attachments;
mod backup;
mod bending;
mod bodies;
mod body_lists;
mod clock;
mod clusters;
mod colliders;
mod cpu;
mod cutter;
mod dragged;
mod external;
mod flutter;
mod guard;
mod guard_memory;
mod hand;
mod jacobi;
mod judge;
mod kept_states;
mod limits;
mod list_pass;
mod mass_spring;
mod particle_passes;
mod path;
mod pbd;
mod pbd_end;
mod pbd_fused;
mod pbd_settings;
mod pbd_substep;
mod picker;
mod race_free;
mod residuals;
mod rope;
mod rope_hand;
mod rope_list;
mod simulation;
mod sleep;
mod state;
mod state_check;
mod state_file;
mod teleport;
mod tile_shape;
mod tiles;
mod triangles;
mod uploads;
mod verlet;
mod verlet_memory;
mod verlet_settings;
mod verlet_tile;
mod watch;
mod watch_settings;
mod watched_springs;

use std::ops::Range;

use glam::{Vec3, Vec4};

pub use air::Air;
pub use alarm::Alarm;
pub use attachments::MOST_ATTACHMENTS;
pub use backup::Backup;
pub use clock::Clock;
pub use colliders::Colliders;
pub use cpu::{CpuGuard, CpuPassTiming, CpuRunTiming, CpuSimulation, CpuTiming, PlayedFrames};
pub use external::Surroundings;
pub use guard::Guard;
pub use guard_memory::GuardMemory;
pub use judge::{Return, Verdict};
pub use mass_spring::{MassSpring, MassSpringSettings};
pub use path::Path;
pub use pbd::Pbd;
pub use pbd_settings::{ConstraintSolver, PbdSettings};
pub use picker::Picker;
pub use rope::{RopeDetail, RopeSettings, RopeSway, RopeVerlet};
pub use simulation::Simulation;
pub use state::{Severed, State};
pub use state_check::StateMismatch;
pub use state_file::StateFileError;
pub use tile_shape::TileShape;
pub use triangles::Triangles;
pub use verlet::Verlet;
pub use verlet_settings::{VerletSettings, VerletStorage};
pub use verlet_tile::VerletTile;
pub use watch::{LookPlace, Watch, steps_between_looks};
pub use watch_settings::{WatchPolicy, WatchSettings, Wrong};

use crate::engine::{self, Buffer, Device, Image, OneOf, Recorder, Resource, SomeOf, Staging};
use crate::model::{Blade, Carried, Grip, Jump};

/// The duration and division of a step, and the accelerations that every particle feels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Duration of one step \[s\].
    pub dt: f32,
    /// How many substeps a step is divided into: each predicts, solves and updates velocities.
    pub substeps: u32,
    /// How many times each substep goes over all constraints; [`Verlet`] has none.
    pub iterations: u32,
    /// Gravity \[m/s²\].
    pub gravity: Vec3,
}

impl Step {
    /// Duration of one substep \[s\].
    #[must_use]
    pub fn substep_dt(&self) -> f32 {
        self.dt / self.substeps as f32
    }

    /// When a substep of the step that starts at `time` starts \[s\].
    fn start_of(&self, substep: u32, time: f64) -> f64 {
        time + f64::from(substep) * f64::from(self.substep_dt())
    }

    /// What captures call substeps that one dispatch makes.
    fn label_of(&self, substeps: Range<u32>) -> SomeOf {
        SomeOf("substeps", substeps, self.substeps)
    }

    /// What captures call a substep.
    fn label(&self, substep: u32) -> OneOf {
        OneOf("substep", substep, self.substeps)
    }
}

/// Where in a step of `substeps` substeps number `substep` starts and ends, each 0 to 1.
fn span_of(substep: u32, substeps: u32) -> [f32; 2] {
    [substep, substep + 1].map(|substep| substep as f32 / substeps as f32)
}

/// Wind as document 002 has it: a fixed direction, and a sine flutter from position and time that also lifts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Mean acceleration \[m/s²\].
    pub acceleration: Vec3,
    /// Amplitude of the flutter \[m/s²\].
    pub flutter: f32,
    /// Wave number of the flutter \[rad/m\].
    pub wave_number: f32,
    /// Frequency of the flutter \[Hz\].
    pub frequency: f32,
    /// Share of the flutter that lifts.
    pub lift: f32,
}

impl Wind {
    /// Whether it is another wind at another time.
    pub(super) fn changes(&self) -> bool {
        self.flutter != 0.0
    }

    /// Phase of the flutter at `time` \[s\], in \[0, 2π) \[rad\]: taken in f64, so that it stays exact for hours.
    #[must_use]
    pub fn flutter_phase(&self, time: f64) -> f32 {
        ((f64::from(self.frequency) * time).rem_euclid(1.0) * std::f64::consts::TAU) as f32
    }
}

/// Where a solver keeps its particles, for kernels and vertex shaders that read them in place.
#[derive(Clone, Debug)]
pub enum Particles {
    /// `vec4 positions[]`, xyz \[m\] and inverse mass; shape \[particle_count\].
    Buffer(Buffer),
    /// `rgba32f`, xyz \[m\] and pin flag; a texel a particle, row by row.
    Image(Image),
    /// `float planes[]`: x, y, z, previous x, y, z \[m\], level of detail, and 1 where a hand has pinned it, -1
    /// where one has let it go, else 0, each a plane of \[particle_count\].
    Planes(Buffer),
}

impl Particles {
    /// What shaders bind them as.
    #[must_use]
    pub fn resource(&self) -> (&'static str, Resource<'_>) {
        match self {
            Self::Buffer(buffer) => ("Positions", buffer.into()),
            Self::Image(image) => ("u_Positions", image.into()),
            Self::Planes(planes) => ("Planes", planes.into()),
        }
    }

    /// Memory that they can be read back to, under a name of its own.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn staging(&self, device: &Device, name: &str) -> engine::Result<Staging> {
        let size = match self {
            Self::Buffer(buffer) | Self::Planes(buffer) => buffer.size(),
            Self::Image(image) => image.byte_size(),
        };
        Staging::readback(device, name, size)
    }

    /// Records that they are read back as they are then.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn download(&self, recorder: &mut Recorder<'_>, target: &Staging) -> engine::Result<()> {
        match self {
            Self::Buffer(buffer) | Self::Planes(buffer) => recorder.download(buffer, target),
            Self::Image(image) => recorder.download_image(image, target),
        }
    }

    /// Where each particle is \[m\] in what was read back; shape \[particle_count\].
    #[must_use]
    pub fn places(&self, words: &[f32]) -> Vec<Vec3> {
        match self {
            Self::Buffer(_) | Self::Image(_) => state::truncated(bytemuck::cast_slice(words)),
            Self::Planes(_) => state::truncated(&rope::positions(words)),
        }
    }
}

/// How fast the particles in one of a solver's places go, for kernels that read it there.
#[derive(Clone, Debug)]
pub enum Motion {
    /// `vec4 velocities[]`, xyz \[m/s\]; shape \[particle_count\].
    Velocities(Buffer),
    /// The way from `vec4 previous_positions[]`, where they were a substep ago, xyz \[m\]; shape \[particle_count\].
    Previous(Buffer),
    /// The way from an image of where they were then, as [`Particles::Image`].
    PreviousImage(Image),
    /// In planes, beside where they are.
    InPlanes,
    /// The device does not know, as a solver on the CPU does.
    OnHost,
}

/// A solver with the state of what it moves.
pub trait Solver {
    /// Records one step that starts at `time` \[s\].
    ///
    /// # Errors
    /// What the engine reports.
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()>;

    /// Records what hands have cut, pinned and let go since the last recording, without a step; [`Solver::record`] does
    /// so before its step.
    ///
    /// # Errors
    /// What the engine reports.
    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()>;

    /// Records that particles jump before the next step: they are where their jumps carry them, with velocities that are turned
    /// alike, and have not moved on the way.
    ///
    /// # Errors
    /// What the engine reports.
    fn record_jumps(&mut self, recorder: &mut Recorder<'_>, carried: &Carried) -> engine::Result<()>;

    /// Says where the paths of what holds particles have been carried, from the next recorded step on.
    fn set_frame(&mut self, frame: Option<Jump>);

    /// Every place where the particles can be after a step; a solver with buffers in turn has several.
    fn particles(&self) -> Vec<Particles>;

    /// Which of [`Solver::particles`] holds them after the steps recorded so far.
    fn current(&self) -> usize;

    /// How fast those in each of [`Solver::particles`] go.
    fn motions(&self) -> Vec<Motion>;

    /// Puts everything back to how it started, and waits until that is done.
    ///
    /// # Errors
    /// What the engine reports.
    fn reset(&mut self) -> engine::Result<()>;

    /// Waits for the device and reads the particles back: xyz \[m\], and w as the solver keeps it. Shape
    /// \[particle_count\].
    ///
    /// # Errors
    /// What the engine reports.
    fn positions(&self) -> engine::Result<Vec<Vec4>> {
        match &self.particles()[self.current()] {
            Particles::Buffer(buffer) => buffer.read(),
            Particles::Image(image) => image.read(),
            Particles::Planes(buffer) => Ok(rope::positions(&buffer.read::<f32>()?)),
        }
    }

    /// Waits for the device and says what the body does now, at simulated time `time` \[s\].
    ///
    /// # Errors
    /// What the engine reports.
    fn state(&self, time: f64) -> engine::Result<State>;

    /// Goes on from a state of the same body, and waits until that is done. What is held stays where it was then; a
    /// solver of forces passes over what has been cut.
    ///
    /// # Errors
    /// What the engine reports.
    ///
    /// # Panics
    /// Where the state is not of as many particles.
    fn set_state(&mut self, state: &State) -> engine::Result<()>;

    /// Says where the camera is \[m\], from the next recorded step on, to solvers that do less for what is far from it.
    fn set_camera(&mut self, _position: Vec3) {}

    /// Whether anything but paths and hands acts on the body in the step that starts at `time` \[s\] and not in each of them: a
    /// cut that falls, or a wind that changes.
    fn is_driven(&self, _time: f64) -> bool {
        false
    }

    /// Lets a hand pull at particles from the next recorded step on, or none any more; a particle that is let go keeps
    /// the velocity that it has.
    fn set_grip(&mut self, grip: Option<Grip>);

    /// Holds a particle where it is, with an inverse mass of 0, or lets it go with its own \[1/kg\], with the next
    /// recording. Whatever else has carried it lets it go in either case.
    ///
    /// # Panics
    /// Where there is no such particle.
    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32);

    /// Settings of a solver of constraints, to be changed between two steps; none for a solver of forces.
    ///
    /// A change holds from the next step that is recorded, and steps recorded before keep theirs. The compliances are
    /// parts of the constraints and stay as they were when the solver was made, and so does what limits the stretch.
    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        None
    }

    /// What the particles collide with.
    fn colliders(&self) -> &Colliders;

    /// What the particles collide with, to be moved.
    fn colliders_mut(&mut self) -> &mut Colliders;

    /// The triangles of the cloth on the device, where the solver works with them.
    fn triangles(&self) -> Option<&Triangles> {
        None
    }

    /// `Constraint constraints[]` on the device, one for each of the cloth's springs in their order; those that are cut
    /// join a particle to itself. None for a solver of forces, and for ropes.
    fn constraints(&self) -> Option<&Buffer> {
        None
    }

    /// Cuts the cloth with a blade with the next recording; false where the solver cannot, as one of the
    /// springs of a grid.
    ///
    /// # Errors
    /// What the engine reports.
    fn cut(&mut self, _blade: Blade) -> engine::Result<bool> {
        Ok(false)
    }

    /// Predicts one substep from the state now without wind, goes over all constraints as often as `iterations` says,
    /// and returns the root mean square of C = |xa - xb| - rest length over the constraints that are not cut \[m\]:
    /// before the first iteration, and after each. Waits for the device, and leaves the state as it was. None for a
    /// solver of forces.
    ///
    /// # Errors
    /// What the engine reports.
    fn residuals(&mut self, _order: ConstraintSolver, _iterations: u32) -> engine::Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// Waits for the device and says which constraints are not cut, shape \[constraint_count\]; none where nothing has
    /// been.
    ///
    /// # Errors
    /// What the engine reports.
    fn intact(&self) -> engine::Result<Option<Vec<bool>>> {
        Ok(None)
    }

    /// Whether anything has been cut since the start.
    fn has_cut(&self) -> bool {
        false
    }

    /// How many constraints a pass over all of them solves; 0 for a solver of forces.
    fn constraint_count(&self) -> usize {
        0
    }

    /// In how many batches.
    fn batch_count(&self) -> usize {
        0
    }

    /// The passes of a step on the device and how often each is called, in the order of their first call.
    fn passes(&self) -> Vec<(String, u32)>;

    /// What the passes on the CPU took in the steps recorded since the last call; none for a solver on the GPU.
    fn take_cpu_timing(&mut self) -> Option<CpuTiming> {
        None
    }
}
