//! What a scene makes: its cloth, its settings, and the simulation on a device.

use super::colliders::ColliderTable;
use super::error::{Place, SceneError};
use super::file::check_is_file;
use super::{Pins, Scene, SolverKind};
use crate::engine::{self, Device};
use crate::io::read_obj;
use crate::layout::Constraint;
use crate::model::{Cloth, Collider, Grid, hang};
use crate::solver::{
    CpuSimulation, MOST_COLLIDERS, MassSpring, MassSpringSettings, Pbd, PbdSettings, Simulation, Solver, Step, Verlet,
    VerletSettings, Wind,
};

/// The limits of a device that a scene can exceed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Most bytes that one binding of a buffer can have.
    pub(super) storage_buffer_range: u32,
    /// Most texels of an image each way.
    pub(super) image_dimension: u32,
}

impl Scene {
    /// The cloth as it starts: the grid with its pins, or the mesh, read and hung up.
    ///
    /// # Errors
    /// As [`Scene::validate`], or where the mesh cannot be read.
    pub fn cloth(&self) -> Result<Cloth, SceneError> {
        self.validate()?;
        let Some(path) = &self.mesh else {
            return Ok(self.grid_cloth(self.grid()));
        };
        check_is_file(path, "a Wavefront OBJ file (.obj)")?;
        let cloth = hang(&read_obj(path, self.scale)?, self.area_density, self.pin_fraction);
        let are_finite = cloth.positions.iter().all(|position| position.is_finite())
            && cloth.springs.iter().all(|spring| spring.rest_length.is_normal());
        if !are_finite {
            return Err(SceneError::Value {
                place: Place::Scene { name: self.name.clone() },
                key: "scale".into(),
                expected: format!("such that 32 bits hold the lengths and masses of {}", path.display()),
                found: self.scale.to_string(),
            });
        }
        Ok(cloth)
    }

    /// Duration and division of a step, and gravity.
    ///
    /// What document 002 calls substeps are iterations, for it integrates once a step: `xpbd-document` has one substep,
    /// which goes over all constraints as often as all substeps of `xpbd` do together.
    #[must_use]
    pub fn step(&self) -> Step {
        let Self { dt, substeps, iterations, gravity, .. } = *self;
        if self.solver == SolverKind::XpbdDocument {
            return Step { dt, substeps: 1, iterations: substeps.saturating_mul(iterations), gravity };
        }
        Step { dt, substeps, iterations, gravity }
    }

    /// Settings of the `xpbd` solver, of `pbd`, which is the same with rigid constraints, or of `xpbd-document`, which is
    /// the same without accumulated lambdas.
    #[must_use]
    pub fn pbd_settings(&self) -> PbdSettings {
        let compliance = |compliance| {
            if self.solver == SolverKind::Pbd { 0.0 } else { compliance }
        };
        PbdSettings {
            compliance: compliance(self.compliance),
            shear_compliance: compliance(self.shear_compliance),
            bending_compliance: compliance(self.bending_compliance),
            damping: self.damping,
            elongation: self.elongation,
            constraint_solver: self.constraint_solver,
            lambda_accumulated: self.solver != SolverKind::XpbdDocument,
            wind: Wind {
                acceleration: self.wind,
                flutter: self.wind_flutter,
                wave_number: self.wind_flutter_wave_number,
                frequency: self.wind_flutter_frequency,
                lift: self.wind_flutter_lift,
            },
        }
    }

    /// Settings of the `verlet` solver.
    #[must_use]
    pub fn verlet_settings(&self) -> VerletSettings {
        VerletSettings {
            mass: self.particle_mass,
            structural_stiffness: self.structural_stiffness,
            shear_stiffness: self.shear_stiffness,
            flexion_stiffness: self.flexion_stiffness,
            damping: self.velocity_loss,
        }
    }

    /// Settings of the `mass-spring` solver.
    #[must_use]
    pub fn mass_spring_settings(&self) -> MassSpringSettings {
        MassSpringSettings {
            stiffness: self.spring_stiffness,
            damping: self.spring_damping,
            external_acceleration: self.external_acceleration,
        }
    }

    /// What the cloth collides with.
    ///
    /// # Errors
    /// [`SceneError::Value`] for the first collider that is wrong.
    pub fn colliders(&self) -> Result<Vec<Collider>, SceneError> {
        let wrong = |key: String, expected: String, found: String| SceneError::Value {
            place: Place::Scene { name: self.name.clone() },
            key,
            expected,
            found,
        };
        if self.collider.len() > MOST_COLLIDERS {
            let found = format!("{} of them", self.collider.len());
            return Err(wrong("collider".into(), format!("at most {MOST_COLLIDERS} tables"), found));
        }
        let numbered = self.collider.iter().zip(1..);
        let collider = |(table, number): (&ColliderTable, u32)| {
            let told = |(key, expected, found)| wrong(format!("collider {number}: {key}"), expected, found);
            table.collider().map_err(told)
        };
        numbered.map(collider).collect()
    }

    /// Puts the scene on a device.
    ///
    /// # Errors
    /// As [`Scene::cloth`], or [`engine::Error::OverLimit`] where the scene is larger than the device can bind, or what
    /// else the engine reports.
    pub fn simulation(&self, device: &Device) -> Result<Simulation, SceneError> {
        self.validate()?;
        let limits = Limits {
            storage_buffer_range: device.limits().max_storage_buffer_range,
            image_dimension: device.limits().max_image_dimension2_d,
        };
        let grid = self.grid();
        // A grid is counted before its cloth, which may take more memory than there is.
        if self.mesh.is_none() {
            self.check_fits(grid.particle_count(), self.grid_spring_count(), limits)?;
        }
        let cloth = self.cloth()?;
        self.check_fits(cloth.positions.len() as u64, cloth.springs.len() as u64, limits)?;

        let step = self.step();
        let colliders = self.colliders()?;
        let solver: Box<dyn Solver> = match self.solver {
            SolverKind::Verlet => {
                let settings = self.verlet_settings();
                Box::new(Verlet::new(device, grid, &cloth.positions, &colliders, step, settings)?)
            }
            SolverKind::Xpbd | SolverKind::Pbd | SolverKind::XpbdDocument => {
                Box::new(Pbd::new(device, &cloth, &colliders, step, self.pbd_settings())?)
            }
            SolverKind::MassSpring => {
                let settings = self.mass_spring_settings();
                Box::new(MassSpring::new(device, grid, &cloth.positions, &colliders, step, settings)?)
            }
        };
        Ok(Simulation::new(cloth, solver, step))
    }

    /// The scene on the CPU, which needs no device; [`CpuSimulation::on_device`] lets it be drawn.
    ///
    /// # Errors
    /// As [`Scene::cloth`].
    pub fn cpu_simulation(&self) -> Result<CpuSimulation, SceneError> {
        let (cloth, colliders, step) = (self.cloth()?, self.colliders()?, self.step());
        Ok(match self.solver {
            SolverKind::Verlet => CpuSimulation::verlet(cloth, self.grid(), colliders, step, self.verlet_settings()),
            SolverKind::Xpbd | SolverKind::Pbd | SolverKind::XpbdDocument => {
                CpuSimulation::of_constraints(cloth, colliders, step, self.pbd_settings())
            }
            SolverKind::MassSpring => {
                CpuSimulation::mass_spring(cloth, self.grid(), colliders, step, self.mass_spring_settings())
            }
        })
    }

    /// Fails where the device cannot bind so many particles and constraints.
    pub(super) fn check_fits(&self, particles: u64, constraints: u64, limits: Limits) -> engine::Result<()> {
        if self.solver == SolverKind::Verlet {
            let grid = format!("the grid of {} x {} particles", self.columns, self.rows);
            let longest = u64::from(self.columns.max(self.rows));
            let limit = ("maxImageDimension2D", u64::from(limits.image_dimension));
            Device::check_limit(&grid, longest, "texels in a line", limit)?;
        }
        let limit = ("maxStorageBufferRange", u64::from(limits.storage_buffer_range));
        let positions = format!("the list of the positions of {particles} particles");
        Device::check_limit(&positions, particles * size_of::<glam::Vec4>() as u64, "bytes", limit)?;
        if self.solver.needs_grid() {
            return Ok(());
        }
        let list = format!("the list of {constraints} constraints");
        Device::check_limit(&list, constraints * size_of::<Constraint>() as u64, "bytes", limit)
    }

    /// How many springs the grid's cloth has.
    pub(super) fn grid_spring_count(&self) -> u64 {
        let (columns, rows) = (u64::from(self.columns), u64::from(self.rows));
        let count = |across: u64, down: u64| columns.saturating_sub(across) * rows.saturating_sub(down);
        let bending = if self.bending { count(2, 0) + count(0, 2) } else { 0 };
        count(1, 0) + count(0, 1) + 2 * count(1, 1) + bending
    }

    fn grid(&self) -> Grid {
        Grid { columns: self.columns, rows: self.rows, spacing: self.spacing }
    }

    fn grid_cloth(&self, grid: Grid) -> Cloth {
        let mut cloth = Cloth::from_grid(grid, self.plane, self.particle_mass, self.bending);
        match &self.pins {
            Pins::TopRow => cloth.pin(grid.row(0)),
            Pins::TopCorners => cloth.pin([grid.top_left(), grid.top_right()]),
            Pins::None => {}
            Pins::Particles(indices) => cloth.pin(indices.iter().copied()),
        }
        cloth
    }
}
