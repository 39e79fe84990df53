//! `xpbd`, `pbd` and `xpbd-document`: predict, solve and bend batch by batch, velocity.
//!
//! Source: Macklin, Müller, Chentanez 2016, "XPBD"; Macklin et al. 2019, "Small Steps in Physics Simulation", for the
//! substeps; Müller et al. 2007, "Position Based Dynamics", for `pbd`, which is `xpbd` with zero compliance; document 002
//! for `xpbd-document`, which is `xpbd` in one substep a step and without accumulated lambdas.

use std::ops::Range;

use glam::Vec4;

use super::bending::Bending;
use super::body_lists::Batched;
use super::clusters::Clusters;
use super::cutter::Cutter;
use super::external::{External, Place};
use super::flutter::FlutterPhases;
use super::jacobi::{Jacobi, PbdBuffers};
use super::limits::{LimitedBuffers, Limits};
use super::list_pass::{List, ListPass};
use super::particle_passes::ParticlePasses;
use super::pbd_fused::{Division, Fused, FusedBuffers, is_interrupted};
use super::race_free::assert_race_free;
use super::state::truncated;
use super::tiles::{SecondPlace, TiledGrid};
use super::{
    Colliders, ConstraintSolver, Motion, Particles, PbdSettings, Severed, Solver, State, Step, Surroundings, TileShape,
    Triangles,
};
use crate::engine::{self, Buffer, Device, Frames, Recorder};
use crate::layout::{Constraint, Hinge, PbdParameters};
use crate::model::{Blade, Carried, Cloth, Cut, Grip, Jump};
use crate::shaders;

/// The solver on the GPU.
pub struct Pbd {
    pub(super) device: Device,
    pub(super) step: Step,
    pub(super) settings: PbdSettings,
    pub(super) start: Vec<Vec4>,
    pub(super) batches: Vec<Range<u32>>,
    pub(super) positions: Buffer,
    pub(super) velocities: Buffer,
    /// None where the plain path is faster, or there is no other.
    pub(super) fused: Option<Fused>,
    /// Likewise, where runs of batches have one dispatch and all else is as on the plain path.
    pub(super) clusters: Option<Clusters>,
    /// In which place the particles are once the steps recorded so far have run; all that knows one place works on the first.
    pub(super) place: usize,
    pub(super) constraints: Buffer,
    lambdas: Buffer,
    /// None where the cloth has no hinges.
    pub(super) bending: Option<Bending>,
    parameters: Buffer,
    /// What `parameters` holds once the steps recorded so far have run.
    recorded_parameters: PbdParameters,
    pub(super) flutter_phases: FlutterPhases,
    /// For each place.
    pub(super) passes: Vec<ParticlePasses>,
    pub(super) solve: ListPass,
    pub(super) external: External,
    /// Made when something is to be cut.
    pub(super) cutter: Option<Cutter>,
    /// Whether a hand has given a particle another mass than the free ones have to have.
    pub(super) has_other_masses: bool,
    /// Made when it is first needed.
    pub(super) jacobi: Option<Jacobi>,
    /// None where nothing but the constraints bounds the stretch.
    pub(super) limits: Option<Limits>,
}

/// What holds particles together, with how that is divided among workgroups.
struct Joined<'a> {
    particles: &'a [Vec4],
    constraints: Batched<'a, Constraint>,
    hinges: Batched<'a, Hinge>,
    /// None for batch by batch.
    division: Option<Division>,
    /// The cloth that all of this was made of, if it was one.
    cloth: Option<&'a Cloth>,
}

impl Pbd {
    /// Puts a cloth on the device.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the cloth has more particles than the device can bind, or what the engine reports.
    pub fn new(
        device: &Device,
        cloth: &Cloth,
        step: Step,
        settings: PbdSettings,
        surroundings: &Surroundings<'_>,
    ) -> engine::Result<Self> {
        let constraints = settings.constraints(cloth);
        let constraints = (&constraints[..], cloth.coloring.batches());
        let (hinges, hinge_batches) = settings.hinges(cloth);
        let hinges = (&hinges[..], hinge_batches);
        let division = Division::best(device, cloth, constraints, hinges, &step, &settings, surroundings);
        let joined = Joined { particles: &cloth.positions, constraints, hinges, division, cloth: Some(cloth) };
        Self::build(device, joined, step, settings, surroundings)
    }

    /// As [`Pbd::new`], in tiles of a given shape, to compare shapes; [`Pbd::new`] takes the one that is fastest.
    ///
    /// # Errors
    /// As [`Pbd::new`], and [`engine::Error::OverLimit`] where the device has no room for workgroups of this shape.
    ///
    /// # Panics
    /// Where the cloth is no grid with constraints as [`Cloth::from_grid`] makes them, or a tile of this shape would be too
    /// small for what its nodes depend on around it.
    pub fn in_tiles(
        device: &Device,
        cloth: &Cloth,
        step: Step,
        settings: PbdSettings,
        surroundings: &Surroundings<'_>,
        shape: TileShape,
    ) -> engine::Result<Self> {
        let constraints = settings.constraints(cloth);
        let grid = TiledGrid::of(cloth, &constraints).expect("a grid with its own constraints");
        let constraints = (&constraints[..], cloth.coloring.batches());
        let division = Some(Division::Tiles(grid, shape));
        let hinges = (&[][..], &[][..]);
        let joined = Joined { particles: &cloth.positions, constraints, hinges, division, cloth: Some(cloth) };
        Self::build(device, joined, step, settings, surroundings)
    }

    /// Puts any particles and constraints on the device; `batches` are ranges of constraints that share no particle. Nothing
    /// else bounds their stretch, whatever the settings say.
    ///
    /// # Errors
    /// As [`Pbd::new`].
    ///
    /// # Panics
    /// Where a batch or a constraint names what is not there, or a batch names a particle twice.
    pub fn with_constraints(
        device: &Device,
        particles: &[Vec4],
        constraints: &[Constraint],
        batches: &[Range<u32>],
        step: Step,
        settings: PbdSettings,
        surroundings: &Surroundings<'_>,
    ) -> engine::Result<Self> {
        let (constraints, hinges) = ((constraints, batches), (&[][..], &[][..]));
        let joined = Joined { particles, constraints, hinges, division: None, cloth: None };
        Self::build(device, joined, step, settings, surroundings)
    }

    /// Makes a solver of what the public constructors are given.
    fn build(
        device: &Device,
        joined: Joined<'_>,
        step: Step,
        settings: PbdSettings,
        surroundings: &Surroundings<'_>,
    ) -> engine::Result<Self> {
        let Joined { particles, constraints: (constraints, batches), hinges: (hinges, hinge_batches), .. } = joined;
        let division = joined.division;
        assert_race_free(particles.len(), constraints.iter().map(Constraint::particles), batches);
        assert_race_free(particles.len(), hinges.iter().map(|hinge| hinge.particles), hinge_batches);
        let vec4s = size_of_val(particles) as u64;
        let positions = Buffer::from_slice(device, "cloth.positions", particles)?;
        let previous_positions = Buffer::from_slice(device, "cloth.previous_positions", particles)?;
        let velocities = Buffer::zeroed(device, "cloth.velocities", vec4s)?;
        let constraint_buffer = Buffer::from_slice(device, "cloth.constraints", constraints)?;
        let lambdas = Buffer::zeroed(device, "cloth.lambdas", size_of::<f32>() as u64 * constraints.len() as u64)?;
        let is_tiled = matches!(division, Some(Division::Tiles(..)));
        let second = is_tiled.then(|| SecondPlace::new(device, vec4s)).transpose()?;
        let place = Place::Buffers { positions: &positions, velocities: &velocities };
        let places: Vec<_> = [place].into_iter().chain(second.as_ref().map(SecondPlace::place)).collect();
        let external = External::new(device, surroundings, particles.len(), &places, step)?;
        let has_forces = external.has_forces();
        let recorded_parameters = PbdParameters { has_forces, ..settings.parameters(&step, particles.len()) };
        let parameters = Buffer::from_slice(device, "cloth.parameters", &[recorded_parameters])?;

        let flutter_phases = FlutterPhases::new(device, &step)?;
        let passes = places.iter().map(|place| {
            ParticlePasses::new(device, place, &previous_positions, &external, &flutter_phases, &parameters)
        });
        let passes = passes.collect::<engine::Result<_>>()?;
        let whole = [("Positions", (&positions).into()), ("PbdParameters", (&parameters).into())];
        let lists = [List::of::<Constraint>("Constraints", &constraint_buffer), List::of::<f32>("Lambdas", &lambdas)];
        let solve = ListPass::new(device, &shaders::PBD_SOLVE, constraints.len() as u32, &whole, &lists)?;
        let buffers = FusedBuffers {
            positions: &positions,
            velocities: &velocities,
            previous_positions: &previous_positions,
            forces: external.forces(),
            parameters: &parameters,
            flutter_phases: flutter_phases.buffer(),
        };
        let limited = LimitedBuffers {
            previous_positions: &previous_positions,
            constraints: &constraint_buffer,
            parameters: &parameters,
            colliders: &external.colliders,
        };
        let limits = joined.cloth.map(|cloth| Limits::new(device, cloth, &settings, &places, &limited));
        let limits = limits.transpose()?.flatten();
        let is_interrupted = is_interrupted(surroundings, &settings);
        let divided = division.map(|division| division.on_device(device, &buffers, second, &step, is_interrupted));
        let (fused, clusters) = divided.transpose()?.unwrap_or_default();
        let bending = if hinges.is_empty() {
            None
        } else {
            Some(Bending::new(device, hinges, hinge_batches, &positions, &parameters)?)
        };
        let (start, batches) = (particles.to_vec(), batches.to_vec());
        let mut pbd = Self {
            device: device.clone(),
            step,
            settings,
            start,
            batches,
            positions,
            velocities,
            fused,
            clusters,
            place: 0,
            constraints: constraint_buffer,
            lambdas,
            bending,
            parameters,
            recorded_parameters,
            flutter_phases,
            passes,
            solve,
            external,
            cutter: None,
            has_other_masses: false,
            jacobi: None,
            limits,
        };
        pbd.prepare_jacobi()?;
        if !surroundings.cuts.is_empty() {
            pbd.cutter = Some(pbd.make_cutter(surroundings.cuts)?);
        }
        Ok(pbd)
    }

    fn make_cutter(&self, cuts: &[Cut]) -> engine::Result<Cutter> {
        let hinges = self.bending.as_ref().map(|bending| &bending.hinges);
        Cutter::new(&self.device, &self.positions, &self.constraints, hinges, self.external.triangles.as_ref(), cuts)
    }

    /// The cutter, made where there is none yet, while the constraints are whole.
    fn take_cutter(&mut self) -> engine::Result<Cutter> {
        self.cutter.take().map_or_else(|| self.make_cutter(&[]), Ok)
    }

    /// Makes what [`ConstraintSolver::Jacobi`] needs, where it is set and not made yet.
    pub(super) fn prepare_jacobi(&mut self) -> engine::Result<()> {
        if self.settings.constraint_solver == ConstraintSolver::Jacobi && self.jacobi.is_none() {
            let Self { positions, constraints, lambdas, parameters, .. } = &*self;
            let whole = match &self.cutter {
                Some(cutter) => cutter.whole_constraints().to_vec(),
                None => constraints.read()?,
            };
            let buffers = PbdBuffers { positions, constraints, lambdas, parameters };
            self.jacobi = Some(Jacobi::new(&self.device, self.start.len(), &whole, &buffers)?);
        }
        Ok(())
    }

    /// Records the change of the parameters since the step before, if there is one.
    fn record_parameters(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let has_forces = self.external.has_forces();
        let parameters = PbdParameters { has_forces, ..self.settings.parameters(&self.step, self.start.len()) };
        if parameters != self.recorded_parameters {
            recorder.update(&self.parameters, &[parameters])?;
            self.recorded_parameters = parameters;
        }
        Ok(())
    }

    /// Velocities, xyz \[m/s\], shape \[particle_count\]; writing to it sets them.
    #[must_use]
    pub fn velocities(&self) -> &Buffer {
        let second = self.fused.as_ref().and_then(Fused::second).filter(|_| self.place == 1);
        second.map_or(&self.velocities, |second| &second.velocities)
    }

    /// Records the way of the particles to their first place.
    fn record_return(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        if let (Some(second), 1) = (self.fused.as_ref().and_then(Fused::second), self.place) {
            recorder.copy(&second.positions, &self.positions)?;
            recorder.copy(&second.velocities, &self.velocities)?;
        }
        self.place = 0;
        Ok(())
    }

    /// Moves the particles to their first place, and waits until that is done.
    pub(super) fn return_now(&mut self) -> engine::Result<()> {
        if self.place == 0 {
            return Ok(());
        }
        let device = self.device.clone();
        Frames::run_once(&device, |recorder| self.record_return(recorder))
    }

    /// Multiplier of each constraint on the plain path after the last substep \[kg m\], shape \[constraint_count\]; over the substep's
    /// duration squared it is the constraint's force \[N\]. Where lambda is not accumulated, that of the last iteration.
    #[must_use]
    pub fn lambdas(&self) -> &Buffer {
        &self.lambdas
    }
}

impl Solver for Pbd {
    fn record(&mut self, recorder: &mut Recorder<'_>, time: f64) -> engine::Result<()> {
        self.prepare_jacobi()?;
        self.refresh_limits()?;
        self.record_parameters(recorder)?;
        let is_fused = self.is_fused();
        if !is_fused {
            self.record_return(recorder)?;
        }
        self.record_hands(recorder)?;
        self.external.record(recorder, time)?;
        self.flutter_phases.record(recorder, &self.settings.wind, &self.step, time)?;
        if is_fused {
            return recorder.replayed(|recorder| self.record_fused(recorder));
        }
        if let Some(cutter) = &mut self.cutter {
            cutter.record_due(recorder, time, &self.step)?;
        }
        self.tell_limits_of_cuts();
        recorder.replayed(|recorder| {
            (0..self.step.substeps).try_for_each(|substep| {
                recorder.within(&self.step.label(substep), |recorder| self.record_substep(recorder, substep))
            })
        })
    }

    fn record_hands(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        if self.cutter.is_some() {
            self.record_return(recorder)?;
        }
        self.external.record_pins(recorder, self.place)?;
        self.cutter.as_mut().map_or(Ok(()), |cutter| cutter.record_pending(recorder))?;
        self.tell_limits_of_cuts();
        Ok(())
    }

    fn record_jumps(&mut self, recorder: &mut Recorder<'_>, carried: &Carried) -> engine::Result<()> {
        let second = self.fused.as_ref().and_then(Fused::second).filter(|_| self.place == 1);
        let first = Place::Buffers { positions: &self.positions, velocities: &self.velocities };
        self.external.record_jumps(recorder, &second.map_or(first, SecondPlace::place), carried)
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.external.set_frame(frame);
    }

    fn particles(&self) -> Vec<Particles> {
        let second = self.fused.as_ref().and_then(Fused::second).map(|second| &second.positions);
        [&self.positions].into_iter().chain(second).cloned().map(Particles::Buffer).collect()
    }

    fn motions(&self) -> Vec<Motion> {
        let second = self.fused.as_ref().and_then(Fused::second).map(|second| &second.velocities);
        [&self.velocities].into_iter().chain(second).cloned().map(Motion::Velocities).collect()
    }

    fn current(&self) -> usize {
        self.place
    }

    fn reset(&mut self) -> engine::Result<()> {
        self.external.reset()?;
        if let Some(cutter) = &mut self.cutter {
            cutter.reset()?;
        }
        self.place = 0;
        self.has_other_masses = false;
        if let Some(limits) = &mut self.limits {
            limits.set_particles(&self.start);
        }
        self.positions.write(&self.start)?;
        self.velocities.write(&vec![Vec4::ZERO; self.start.len()])
    }

    fn state(&self, time: f64) -> engine::Result<State> {
        let velocities: Vec<Vec4> = self.velocities().read()?;
        Ok(State {
            time,
            positions: truncated(&self.positions()?),
            velocities: truncated(&velocities),
            severed: self.cutter.as_ref().map_or_else(|| Ok(Severed::default()), Cutter::severed)?,
            blades: self.cutter.as_ref().map_or_else(Vec::new, |cutter| cutter.schedule.pending().to_vec()),
            ..State::default()
        })
    }

    fn set_state(&mut self, state: &State) -> engine::Result<()> {
        self.external.reset()?;
        let particles = self.external.particles_at(state, &self.start);
        self.place = 0;
        if let Some(limits) = &mut self.limits {
            limits.set_particles(&particles);
        }
        self.positions.write(&particles)?;
        self.velocities.write(&state.velocity_vectors())?;
        if self.cutter.is_none() && state.severed.is_empty() && state.blades.is_empty() {
            return Ok(());
        }
        let mut cutter = self.take_cutter()?;
        cutter.sever(&state.severed)?;
        cutter.schedule.set_pending(&state.blades);
        self.cutter = Some(cutter);
        Ok(())
    }

    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        Some(&mut self.settings)
    }

    fn is_driven(&self, time: f64) -> bool {
        self.settings.wind.changes()
            || self.cutter.as_ref().is_some_and(|cutter| !cutter.schedule.due(time, &self.step).is_empty())
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.external.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        let one = self.fused.as_ref().and_then(Fused::inverse_mass);
        self.has_other_masses |= one.is_some_and(|one| inverse_mass != 0.0 && inverse_mass != one);
        if let Some(limits) = &mut self.limits {
            limits.set_inverse_mass(particle, inverse_mass);
        }
        self.external.set_inverse_mass(particle, inverse_mass);
    }

    fn triangles(&self) -> Option<&Triangles> {
        self.external.triangles.as_ref()
    }

    fn constraints(&self) -> Option<&Buffer> {
        Some(&self.constraints)
    }

    fn colliders(&self) -> &Colliders {
        &self.external.colliders
    }

    fn colliders_mut(&mut self) -> &mut Colliders {
        &mut self.external.colliders
    }

    fn cut(&mut self, blade: Blade) -> engine::Result<bool> {
        let mut cutter = self.take_cutter()?;
        cutter.schedule.cut(blade);
        self.cutter = Some(cutter);
        Ok(true)
    }

    fn residuals(&mut self, order: ConstraintSolver, iterations: u32) -> engine::Result<Option<Vec<f64>>> {
        self.measure_residuals(order, iterations).map(Some)
    }

    fn intact(&self) -> engine::Result<Option<Vec<bool>>> {
        self.cutter.as_ref().map_or(Ok(None), Cutter::intact)
    }

    fn has_cut(&self) -> bool {
        self.cutter.as_ref().is_some_and(Cutter::has_cut)
    }

    fn constraint_count(&self) -> usize {
        self.batches.iter().map(ExactSizeIterator::len).sum()
    }

    fn batch_count(&self) -> usize {
        match self.settings.constraint_solver {
            ConstraintSolver::GaussSeidel => self.batches.len(),
            ConstraintSolver::Jacobi => 1,
        }
    }

    fn passes(&self) -> Vec<(String, u32)> {
        if self.is_fused() { self.fused_passes() } else { self.substep_passes() }
    }
}
