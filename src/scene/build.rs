//! What a scene makes: its cloth, its settings, and the simulation on a device.

use std::collections::HashSet;
use std::path::Path;

use super::colliders::{ColliderTable, MeshSource};
use super::cut_tables::CutTable;
use super::error::SceneError;
use super::heights::{Heights, samples};
use super::pin_tables::pin;
use super::{Pins, Scene, SolverKind};
use crate::engine::{self, Device};
use crate::io::HeightSamples;
use crate::layout::{Constraint, MOST_COLLIDERS};
use crate::model::{self, BendingForm, Body, Cloth, Collider, Cut, Grid, Shape};
use crate::solver::{
    Air, CpuSimulation, MassSpring, MassSpringSettings, Pbd, PbdSettings, RopeVerlet, Simulation, Solver, Step,
    Surroundings, Triangles, Verlet, VerletSettings, VerletStorage, Wind,
};

/// The limits of a device that a scene can exceed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Most bytes that one binding of a buffer can have.
    pub(super) storage_buffer_range: u32,
    /// Most texels of an image each way.
    pub(super) image_dimension: u32,
    /// The device's own memory \[bytes\].
    pub(super) memory: u64,
}

impl Limits {
    fn of(device: &Device) -> Self {
        Self {
            storage_buffer_range: device.limits().max_storage_buffer_range,
            image_dimension: device.limits().max_image_dimension2_d,
            memory: device.own_memory_bytes(),
        }
    }
}

impl Scene {
    /// The cloth as it starts: the grid with its pins, or the mesh, read and hung up.
    ///
    /// # Errors
    /// As [`Scene::validate`], or where the mesh cannot be read.
    pub fn cloth(&self) -> Result<Cloth, SceneError> {
        self.validate()?;
        let mesh = self.scene_mesh()?;
        let (mut cloth, pins) = match &mesh {
            Some(mesh) => self.mesh_cloth(mesh)?,
            None => (self.grid_cloth(), self.grid_pins()),
        };
        pin(&self.pin, &mut cloth, mesh.as_ref(), &self.collider_paths()?)
            .map_err(|(number, (key, expected, found))| self.wrong(format!("pin {number}: {key}"), expected, found))?;
        let attached = cloth.attachments.iter().flat_map(|attachment| &attachment.particles);
        let attached: HashSet<u32> = attached.map(|particle| particle.index).collect();
        cloth.pin(pins.into_iter().filter(|particle| !attached.contains(particle)));
        self.print_on(&mut cloth)?;
        Ok(cloth)
    }

    /// What resists bending, if anything does.
    pub(super) fn bends_by(&self) -> Option<BendingForm> {
        match self.mesh {
            Some(_) => Some(self.bending_form.unwrap_or(BendingForm::Dihedral)),
            None => self.bending.then(|| self.bending_form.unwrap_or(BendingForm::Distance)),
        }
    }

    fn grid_cloth(&self) -> Cloth {
        let bends_by = self.bends_by();
        let springs_bend = bends_by == Some(BendingForm::Distance);
        let mut cloth = Cloth::from_grid(self.grid(), self.plane, self.particle_mass, springs_bend);
        if bends_by == Some(BendingForm::Dihedral) && self.solver.takes_mesh() {
            cloth.add_hinges();
        }
        self.copied(cloth)
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

    /// Settings of the `xpbd` solver, of `pbd`, which is the same with rigid constraints (but for hinges, as cloth that does not
    /// bend is cardboard), or of `xpbd-document`, which is the same without accumulated lambdas.
    #[must_use]
    pub fn pbd_settings(&self) -> PbdSettings {
        let compliance = |compliance| {
            if self.solver == SolverKind::Pbd { 0.0 } else { compliance }
        };
        PbdSettings {
            compliance: compliance(self.compliance),
            warp_compliance: self.warp_compliance.map(compliance),
            shear_compliance: compliance(self.shear_compliance),
            bending_compliance: compliance(self.bending_compliance),
            bending_stiffness: self.bending_stiffness,
            damping: self.damping,
            elongation: self.elongation,
            long_range_attachments: self.long_range_attachments,
            max_strain: self.max_strain,
            constraint_solver: self.constraint_solver,
            path: self.path,
            lambda_accumulated: self.solver != SolverKind::XpbdDocument,
            wind: self.wind(),
        }
    }

    fn wind(&self) -> Wind {
        Wind {
            acceleration: self.wind,
            flutter: self.wind_flutter,
            wave_number: self.wind_flutter_wave_number,
            frequency: self.wind_flutter_frequency,
            lift: self.wind_flutter_lift,
        }
    }

    /// The air that blows on the triangles.
    #[must_use]
    pub fn air(&self) -> Air {
        Air {
            velocity: self.air_velocity,
            density: self.air_density,
            drag: self.drag_coefficient,
            lift: self.lift_coefficient,
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
            wind: self.wind(),
            storage: self.storage,
            path: self.path,
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
    /// [`SceneError::Value`] for the first collider that is wrong, or where a terrain's image or a mesh cannot be read, or
    /// [`SceneError::Solid`] where a mesh encloses nothing.
    pub fn colliders(&self) -> Result<Vec<Collider>, SceneError> {
        let heights = |image: &Path| Ok(HeightSamples::clone(&*self.files.heights(image)?));
        self.colliders_with(heights, |mesh| self.files.solid(mesh))
    }

    /// Checks the colliders without a look at images and meshes, for which something else stands in.
    pub(super) fn check_colliders(&self) -> Result<(), SceneError> {
        self.collider_paths().map(drop)
    }

    /// The paths of the colliders, without a look at images and meshes.
    fn collider_paths(&self) -> Result<Vec<model::Path>, SceneError> {
        let heights = |_: &Path| Ok(HeightSamples { columns: 2, values: vec![0.0; 4] });
        let colliders = self.colliders_with(heights, |_| Ok(Shape::Plane))?;
        Ok(colliders.into_iter().map(|collider| collider.path).collect())
    }

    fn colliders_with(
        &self,
        read: impl Fn(&Path) -> Result<HeightSamples, SceneError>,
        solid: impl Fn(&MeshSource<'_>) -> Result<Shape, SceneError>,
    ) -> Result<Vec<Collider>, SceneError> {
        if self.collider.len() > MOST_COLLIDERS {
            let found = format!("{} of them", self.collider.len());
            return Err(self.wrong("collider".into(), format!("at most {MOST_COLLIDERS} tables"), found));
        }
        let numbered = self.collider.iter().zip(1..);
        let collider = |(table, number): (&ColliderTable, u32)| {
            let told = |(key, expected, found)| self.wrong(format!("collider {number}: {key}"), expected, found);
            let heights = match &table.heights {
                Some(Heights::Rows(rows)) => Some(samples(rows).map_err(told)?),
                Some(Heights::Image(image)) if image.as_os_str().is_empty() => {
                    return Err(told(("heights", "the path of a grey PNG image (.png)".into(), "empty".into())));
                }
                Some(Heights::Image(image)) => Some(read(image)?),
                None => None,
            };
            let mesh = table.mesh_source().map_err(told)?;
            let mesh = mesh.map(|mesh| solid(&mesh)).transpose()?;
            table.collider(heights, mesh).map_err(told)
        };
        numbered.map(collider).collect()
    }

    /// When and how the cloth is cut.
    ///
    /// # Errors
    /// [`SceneError::Value`] for the first cut that is wrong, or where the solver cannot cut.
    pub fn cuts(&self) -> Result<Vec<Cut>, SceneError> {
        if !self.solver.takes_mesh() && !self.cut.is_empty() {
            let expected = format!("left out with `{}`, as only constraints of cloth can be cut", self.solver);
            return Err(self.wrong("cut".into(), expected, "given".into()));
        }
        let cut = |(table, number): (&CutTable, u32)| {
            let told = |(key, expected, found)| self.wrong(format!("cut {number}: {key}"), expected, found);
            table.cut().map_err(told)
        };
        self.cut.iter().zip(1..).map(cut).collect()
    }

    /// Puts the scene on a device. What its files hold is read once, and kept for the next simulation of it or of a
    /// clone; [`Scene::load`] and [`Scene::forget_files`] have them be read anew.
    ///
    /// # Errors
    /// As [`Scene::cloth`], or [`engine::Error::OverLimit`] where the scene is larger than the device can hold, or what
    /// else the engine reports.
    pub fn simulation(&self, device: &Device) -> Result<Simulation, SceneError> {
        if let Some(playback) = &self.playback {
            return Ok(self.played_back(playback)?.on_device(device)?);
        }
        self.validate()?;
        let limits = Limits::of(device);
        if self.solver == SolverKind::Rope {
            let (ropes, step, settings) = (self.fitting_ropes(limits)?, self.step(), self.rope_settings());
            let solver = RopeVerlet::new(device, &ropes, &self.colliders()?, step, settings)?;
            return Ok(Simulation::new(Body::Ropes(ropes), Box::new(solver), step));
        }
        let (cloth, grid, step) = (self.fitting_cloth(limits)?, self.grid(), self.step());
        let (colliders, cuts) = (self.colliders()?, self.cuts()?);
        // Only where something acts on them, for their lists take more room than the particles; constraints may be cut
        // at any time.
        let has_use_for_triangles = self.solver.takes_mesh() || self.air_density > 0.0;
        let triangles = has_use_for_triangles.then(|| Triangles::new(device, &cloth)).transpose()?;
        let around = &Surroundings {
            colliders: &colliders,
            attachments: &cloth.attachments,
            air: self.air(),
            cuts: &cuts,
            triangles: triangles.as_ref(),
        };
        let particles = &cloth.positions;
        let solver: Box<dyn Solver> = match self.solver {
            SolverKind::Verlet => Box::new(Verlet::new(device, grid, particles, step, self.verlet_settings(), around)?),
            SolverKind::MassSpring => {
                Box::new(MassSpring::new(device, grid, particles, step, self.mass_spring_settings(), around)?)
            }
            _ => Box::new(Pbd::new(device, &cloth, step, self.pbd_settings(), around)?),
        };
        Ok(Simulation::new(Body::Cloth(cloth), solver, step))
    }

    /// The scene on the CPU, which needs no device; [`CpuSimulation::on_device`] lets it be drawn.
    ///
    /// # Errors
    /// As [`Scene::cloth`].
    pub fn cpu_simulation(&self) -> Result<CpuSimulation, SceneError> {
        if let Some(playback) = &self.playback {
            return self.played_back(playback);
        }
        let (colliders, step) = (self.colliders()?, self.step());
        if self.solver == SolverKind::Rope {
            return Ok(CpuSimulation::ropes(self.ropes()?, &colliders, step, self.rope_settings()));
        }
        let (cloth, grid, cuts) = (self.cloth()?, self.grid(), self.cuts()?);
        let attachments = &cloth.attachments.clone();
        let around =
            &Surroundings { colliders: &colliders, attachments, air: self.air(), cuts: &cuts, ..Default::default() };
        Ok(match self.solver {
            SolverKind::Verlet => CpuSimulation::verlet(cloth, grid, step, self.verlet_settings(), around),
            SolverKind::MassSpring => {
                CpuSimulation::mass_spring(cloth, grid, step, self.mass_spring_settings(), around)
            }
            _ => CpuSimulation::of_constraints(cloth, step, self.pbd_settings(), around),
        })
    }

    /// The cloth, where the device can hold it.
    fn fitting_cloth(&self, limits: Limits) -> Result<Cloth, SceneError> {
        // A grid is counted before its cloth, which may take more memory than there is.
        if self.mesh.is_none() {
            let count = u64::from(self.cloth_count);
            self.check_fits(count * self.grid().particle_count(), count * self.grid_spring_count(), limits)?;
        }
        let cloth = self.cloth()?;
        self.check_fits(cloth.positions.len() as u64, cloth.springs.len() as u64, limits)?;
        Ok(cloth)
    }

    /// Fails where the device cannot bind so many particles, which constraints reach anywhere, or has no memory for the
    /// constraints, which are bound in parts.
    pub(super) fn check_fits(&self, particles: u64, constraints: u64, limits: Limits) -> engine::Result<()> {
        if self.solver == SolverKind::Verlet && self.storage == VerletStorage::Images {
            let grid = format!("the grid of {} x {} particles", self.columns, self.rows);
            let longest = u64::from(self.columns.max(self.rows));
            let limit = ("maxImageDimension2D", u64::from(limits.image_dimension));
            Device::check_limit(&grid, longest, "texels in a line", limit)?;
        }
        let particle_bytes = size_of::<glam::Vec4>() as u64;
        let cloth = format!("a cloth, with {particle_bytes} bytes a particle in one binding,");
        let limit = ("maxStorageBufferRange", u64::from(limits.storage_buffer_range) / particle_bytes);
        Device::check_limit(&cloth, particles, "particles", limit)?;
        if self.solver.needs_grid() {
            return Ok(());
        }
        let list = format!("the list of {constraints} constraints");
        let limit = ("VkMemoryHeap", limits.memory);
        Device::check_limit(&list, constraints * size_of::<Constraint>() as u64, "bytes", limit)
    }

    /// How many springs the cloth of one grid has.
    pub(super) fn grid_spring_count(&self) -> u64 {
        let (columns, rows) = (u64::from(self.columns), u64::from(self.rows));
        let count = |across: u64, down: u64| columns.saturating_sub(across) * rows.saturating_sub(down);
        let springs_bend = self.bends_by() == Some(BendingForm::Distance);
        let bending = if springs_bend { count(2, 0) + count(0, 2) } else { 0 };
        count(1, 0) + count(0, 1) + 2 * count(1, 1) + bending
    }

    pub(super) fn grid(&self) -> Grid {
        Grid { columns: self.columns, rows: self.rows, spacing: self.spacing }
    }

    /// The particles of all grids that the key `pins` holds.
    fn grid_pins(&self) -> Vec<u32> {
        let grid = self.grid();
        self.in_each(&match &self.pins {
            Pins::TopRow => grid.row(0).collect(),
            Pins::TopCorners => vec![grid.top_left(), grid.top_right()],
            Pins::None => Vec::new(),
            Pins::Particles(indices) => indices.clone(),
        })
    }
}
