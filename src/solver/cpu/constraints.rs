//! `xpbd`, `pbd` and `xpbd-document` on the CPU: the passes of [`Pbd`](crate::solver::Pbd) in the same order.

use glam::Vec4;

use super::external::External;
use super::{CpuSolver, CpuTiming, HostParticles};
use crate::cpu::{self, Colliders, Pbd};
use crate::layout::{CollidePush, Collider, Constraint, PbdParameters};
use crate::model::{Blade, Carried, Cloth, Grip, Jump, Spring, links_at_particles};
use crate::shaders;
use crate::solver::colliders::collide_push;
use crate::solver::cutter::Schedule;
use crate::solver::limits::{LimitPass, StrainLimit, limit_passes, long_range_push, ways};
use crate::solver::residuals::rms_error;
use crate::solver::state::truncated;
use crate::solver::{ConstraintSolver, PbdSettings, Severed, State, Step, Surroundings};

pub(super) struct Constraints {
    step: Step,
    settings: PbdSettings,
    batch_count: usize,
    state: Pbd,
    external: External,
    cuts: Schedule,
    /// The state and the triangles as they start, with nothing cut.
    start: (Pbd, Vec<[u32; 3]>),
    is_cut: bool,
    /// The springs, where anything bounds their stretch.
    springs: Option<Vec<Spring>>,
    strain: Option<StrainLimit>,
    /// Whether the long range attachments have to be found anew before the next step.
    is_stale: bool,
    /// Since the last call of [`CpuSolver::take_changed_triangles`].
    triangles_changed: bool,
}

impl Constraints {
    pub(super) fn new(cloth: &Cloth, step: Step, settings: PbdSettings, surroundings: &Surroundings<'_>) -> Self {
        let batches = cloth.coloring.batches();
        let (hinges, hinge_batches) = settings.hinges(cloth);
        let mut state =
            Pbd::new(&cloth.positions, &settings.constraints(cloth), batches).with_hinges(&hinges, hinge_batches);
        let springs = settings.limits_stretch().then(|| cloth.springs.clone());
        if let Some(springs) = &springs {
            let (first_links, links) = links_at_particles(cloth.positions.len(), springs);
            state.set_links(first_links, &links);
        }
        Self {
            step,
            settings,
            springs,
            strain: StrainLimit::of(&settings, cloth.positions.len()),
            is_stale: true,
            batch_count: batches.len(),
            start: (state.clone(), cloth.triangles.clone()),
            state,
            external: External::new(cloth, surroundings, &step, 0.0),
            cuts: Schedule::new(surroundings.cuts),
            is_cut: false,
            triangles_changed: false,
        }
    }

    fn parameters(&self) -> PbdParameters {
        self.settings.parameters(&self.step, self.state.positions.len())
    }

    fn cut_with(&mut self, blades: &[Blade], timing: &mut CpuTiming) {
        for blade in blades {
            (self.is_cut, self.is_stale, self.triangles_changed) = (true, true, true);
            let (state, triangles) = (&mut self.state, &mut self.external.triangles);
            timing.measure(shaders::CUT_CONSTRAINTS.name, || state.cut(blade));
            if !state.hinges().is_empty() {
                timing.measure(shaders::CUT_HINGES.name, || state.cut_hinges(blade));
            }
            let push = blade.push(triangles.len() as u32);
            timing.measure(shaders::CUT_TRIANGLES.name, || cpu::cut_triangles(&push, &state.positions, triangles));
        }
    }

    fn substep(&mut self, substep: u32, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming) {
        let (parameters, step) = (self.parameters(), self.step);
        let flutter_phase = self.settings.wind.flutter_phase(time);
        let Self { state, external, .. } = self;
        external.pull(&step, timing, shaders::HAND_PULL, |push, particles| state.pull(push, particles));
        external.blow(timing, shaders::AIR_FORCE, |air, parameters, triangles| state.blow(air, parameters, triangles));
        timing.measure(shaders::PBD_PREDICT.name, || state.predict(&parameters, flutter_phase));
        external.attach(substep, &step, timing, shaders::ATTACH_MOVE, |particles, attachments, push| {
            state.attach(particles, attachments, push);
        });
        for iteration in 0..step.iterations {
            let iteration = if self.settings.lambda_accumulated { iteration } else { 0 };
            self.iterate(iteration, &parameters, timing);
        }
        let push = collide_push(colliders.list.len(), substep, step.substeps);
        if !colliders.list.is_empty() {
            timing.measure(shaders::PBD_COLLIDE.name, || self.state.collide(colliders, &push));
        }
        if self.springs.is_some() {
            self.limit(substep + 1 == step.substeps, &parameters, (colliders, &push), timing);
        } else {
            timing.measure(shaders::PBD_VELOCITY.name, || self.state.update_velocity(&parameters));
        }
    }

    /// Bounds the stretch at the end of a substep, and takes the velocities.
    fn limit(
        &mut self,
        is_last: bool,
        parameters: &PbdParameters,
        (colliders, collide_push): (&Colliders<'_>, &CollidePush),
        timing: &mut CpuTiming,
    ) {
        let state = &mut self.state;
        let push = long_range_push(self.strain);
        timing.measure(shaders::LIMIT_LONG_RANGE.name, || state.limit_long_range(parameters, &push));
        let smooth: Vec<_> = colliders.list.iter().map(|collider| Collider { friction: 0.0, ..*collider }).collect();
        let smooth = Colliders { list: &smooth, ..*colliders };
        // Whether the round before this one has left work.
        let mut has_work = true;
        for pass in limit_passes(self.strain, !smooth.list.is_empty(), is_last) {
            if !has_work {
                break;
            }
            let push = match pass {
                LimitPass::LongLink(push) => {
                    timing.measure(shaders::LIMIT_LONG_LINK.name, || state.limit_long_link(parameters, &push));
                    continue;
                }
                LimitPass::Collide(_) => {
                    timing.measure(shaders::LIMIT_COLLIDE.name, || state.collide(&smooth, collide_push));
                    continue;
                }
                LimitPass::Strain(push) => push,
            };
            let mut is_too_long = false;
            timing.measure(shaders::LIMIT_STRAIN.name, || is_too_long = state.limit_strain(parameters, &push));
            has_work = push.looks == 0 || is_too_long;
        }
        timing.measure(shaders::LIMIT_VELOCITY.name, || state.limit_velocity(parameters));
    }

    /// Finds the long range attachments anew, where there are any and something has changed.
    fn refresh_limits(&mut self) {
        if let Some(springs) = self.springs.as_ref().filter(|_| self.is_stale) {
            let constraints = self.state.constraints();
            let intact = springs.iter().zip(&constraints).filter(|(_, now)| now.index_a != now.index_b);
            let intact: Vec<_> = intact.map(|(spring, _)| *spring).collect();
            let (long_ranges, long_links) = ways(self.strain, &self.state.positions, &intact);
            self.state.set_long_ranges(long_ranges, long_links);
        }
        self.is_stale = false;
    }

    /// Goes over all constraints and hinges once.
    fn iterate(&mut self, iteration: u32, parameters: &PbdParameters, timing: &mut CpuTiming) {
        let state = &mut self.state;
        match self.settings.constraint_solver {
            ConstraintSolver::GaussSeidel => {
                timing.measure(shaders::PBD_SOLVE.name, || state.solve(parameters, iteration));
            }
            ConstraintSolver::Jacobi => {
                timing.measure(shaders::PBD_JACOBI_SOLVE.name, || state.jacobi_solve(parameters, iteration));
                timing.measure(shaders::PBD_JACOBI_APPLY.name, || state.jacobi_apply());
            }
        }
        for batch in 0..state.hinge_batch_count() {
            timing.measure(shaders::PBD_BEND.name, || state.bend(parameters, batch, iteration));
        }
    }

    fn error(&self) -> f64 {
        rms_error(&self.state.positions, &self.state.constraints(), self.settings.elongation)
    }
}

impl CpuSolver for Constraints {
    fn step(&mut self, time: f64, colliders: &Colliders<'_>, timing: &mut CpuTiming) {
        self.refresh_limits();
        self.external.start_step(time, &self.step);
        self.cut_pending(timing);
        self.cut_with(&self.cuts.due(time, &self.step), timing);
        for substep in 0..self.step.substeps {
            let time = self.step.start_of(substep, time);
            self.substep(substep, time, colliders, timing);
        }
    }

    fn jump(&mut self, carried: &Carried) {
        carried.carry_points(&mut self.state.positions);
        carried.carry_vectors(&mut self.state.velocities);
    }

    fn set_frame(&mut self, frame: Option<Jump>) {
        self.external.frame = frame;
    }

    fn cut_pending(&mut self, timing: &mut CpuTiming) {
        let blades = self.cuts.take_pending();
        self.cut_with(&blades, timing);
    }

    fn particles(&self) -> HostParticles<'_> {
        HostParticles::Buffer(&self.state.positions)
    }

    fn reset(&mut self) {
        self.external.reset();
        self.is_stale = true;
        self.cuts.set_pending(&[]);
        if std::mem::take(&mut self.is_cut) {
            (self.state, self.external.triangles) = self.start.clone();
            self.triangles_changed = true;
        } else {
            self.state.positions.clone_from(&self.start.0.positions);
            self.state.velocities.fill(Vec4::ZERO);
        }
    }

    fn state(&self, time: f64) -> State {
        let (positions, velocities) = (truncated(&self.state.positions), truncated(&self.state.velocities));
        let severed = if self.is_cut {
            let springs = self.start.0.constraints();
            let springs = springs.iter().map(Constraint::particles);
            Severed::between(springs, &self.state.constraints(), &self.external.triangles)
        } else {
            Severed::default()
        };
        let blades = self.cuts.pending().to_vec();
        State { time, positions, velocities, severed, blades, ..State::default() }
    }

    fn set_state(&mut self, state: &State) {
        self.reset();
        self.cuts.set_pending(&state.blades);
        let particles = self.external.particles_at(state, &self.step, &self.start.0.positions);
        self.state.velocities = state.velocity_vectors();
        self.state.positions = particles;
        if !state.severed.is_empty() {
            (self.is_cut, self.triangles_changed) = (true, true);
            let triangles = &mut self.external.triangles;
            self.state.sever(|constraints| state.severed.sever(constraints, triangles));
            self.state.sever_hinges(|hinges| state.severed.sever_hinges(hinges));
        }
    }

    fn is_driven(&self, time: f64) -> bool {
        self.settings.wind.changes() || !self.cuts.due(time, &self.step).is_empty()
    }

    fn set_grip(&mut self, grip: Option<Grip>) {
        self.external.set_grip(grip);
    }

    fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.state.positions[particle as usize].w = inverse_mass;
        self.is_stale = true;
        self.external.let_go(particle);
    }

    fn pbd_settings_mut(&mut self) -> Option<&mut PbdSettings> {
        Some(&mut self.settings)
    }

    fn cut(&mut self, blade: Blade) -> bool {
        self.cuts.cut(blade);
        true
    }

    fn intact(&self) -> Option<Vec<bool>> {
        let constraints = self.is_cut.then(|| self.state.constraints())?;
        Some(constraints.iter().map(|constraint| constraint.index_a != constraint.index_b).collect())
    }

    fn take_changed_triangles(&mut self) -> Option<&[[u32; 3]]> {
        std::mem::take(&mut self.triangles_changed).then_some(&self.external.triangles)
    }

    fn constraints(&self) -> Option<Vec<Constraint>> {
        Some(self.state.constraints())
    }

    fn residuals(&mut self, order: ConstraintSolver, iterations: u32) -> Option<Vec<f64>> {
        let before = (self.settings, self.state.clone());
        self.settings.constraint_solver = order;
        let (parameters, timing) = (self.parameters(), &mut CpuTiming::default());
        self.state.predict(&parameters, 0.0);
        let mut residuals = vec![self.error()];
        for iteration in 0..iterations {
            self.iterate(iteration, &parameters, timing);
            residuals.push(self.error());
        }
        (self.settings, self.state) = before;
        Some(residuals)
    }

    fn constraint_count(&self) -> usize {
        self.state.constraint_count()
    }

    fn batch_count(&self) -> usize {
        match self.settings.constraint_solver {
            ConstraintSolver::GaussSeidel => self.batch_count,
            ConstraintSolver::Jacobi => 1,
        }
    }
}
