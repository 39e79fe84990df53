//! What changing a key does to a simulation that runs.

use super::keys::{KEYS, Key, Scene};
use super::values::SolverKind;
use crate::model::BendingForm;

/// What changing a key does to a simulation that runs, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: the scene's solver does not look at the key.
    None,
    /// It holds from the next step on.
    Setting,
    /// The solver is made anew, and goes on from the state of the body.
    Solver,
    /// There is another body, which starts anew.
    Body,
}

impl Key {
    /// What changing the key does to a simulation of `scene`.
    #[must_use]
    pub fn effect(&self, scene: &Scene) -> Effect {
        let solver = scene.solver;
        let is_rope = solver == SolverKind::Rope;
        let is_grid = !is_rope && scene.mesh.is_none();
        let is_mesh = !is_rope && !is_grid;
        let has_compliance = matches!(solver, SolverKind::Xpbd | SolverKind::XpbdDocument);
        let bends_by = scene.bends_by();
        let (applies, effect) = match self.name {
            "time_scale" | "watch" | "watch_strain" | "watch_speed" | "watch_depth" | "watch_every" | "sleep_speed" => {
                (true, Effect::Setting)
            }
            "constraint_solver" | "damping" | "elongation" => (solver.takes_mesh(), Effect::Setting),
            "path" => (solver != SolverKind::MassSpring, Effect::Solver),
            "iterations" => (!solver.needs_grid(), Effect::Solver),
            "velocity_loss" => (matches!(solver, SolverKind::Verlet | SolverKind::Rope), Effect::Solver),
            "external_acceleration" => (matches!(solver, SolverKind::MassSpring | SolverKind::Rope), Effect::Solver),
            "structural_stiffness" | "shear_stiffness" | "flexion_stiffness" | "storage" => {
                (solver == SolverKind::Verlet, Effect::Solver)
            }
            "spring_stiffness" | "spring_damping" => (solver == SolverKind::MassSpring, Effect::Solver),
            "allow_unstable" => (solver.needs_grid(), Effect::Solver),
            "cut" | "long_range_attachments" | "max_strain" => (solver.takes_mesh(), Effect::Solver),
            "bending" => (solver.takes_mesh() && is_grid, Effect::Solver),
            "compliance" | "warp_compliance" | "shear_compliance" => (has_compliance, Effect::Solver),
            "bending_form" => (solver.takes_mesh() && bends_by.is_some(), Effect::Solver),
            "bending_stiffness" => (solver.takes_mesh() && bends_by == Some(BendingForm::Dihedral), Effect::Solver),
            "bending_compliance" => (has_compliance && bends_by == Some(BendingForm::Distance), Effect::Solver),
            "particle_mass" => (is_grid, Effect::Solver),
            "pins" => (!is_rope, Effect::Solver),
            "area_density" | "pin_fraction" => (is_mesh, Effect::Solver),
            "columns" | "rows" | "spacing" | "plane" => (is_grid, Effect::Body),
            "cloth_count" => (solver.takes_mesh() && is_grid, Effect::Body),
            "cloth_columns" | "cloth_spacing" => {
                (solver.takes_mesh() && is_grid && scene.cloth_count > 1, Effect::Body)
            }
            "mesh" | "scale" | "up" | "weld" => (is_mesh, Effect::Body),
            "rope_count" | "rope_columns" | "rope_particles" | "rope_length" | "rope_span" | "rope_spacing" => {
                (is_rope, Effect::Body)
            }
            name if name.starts_with("rope_lod_") => (is_rope && scene.rope_lod, Effect::Solver),
            name if name.starts_with("rope_") => (is_rope, Effect::Solver),
            name if name.starts_with("wind") && solver.takes_mesh() => (true, Effect::Setting),
            name if name.starts_with("wind") => (solver == SolverKind::Verlet, Effect::Solver),
            "solver" | "dt" | "substeps" | "gravity" | "collider" => (true, Effect::Solver),
            // Pins, the air, and the cloth that is drawn beside.
            _ => (!is_rope, Effect::Solver),
        };
        if applies { effect } else { Effect::None }
    }
}

impl Scene {
    /// What changing to `other` does to a simulation of this scene.
    #[must_use]
    pub fn effect_of(&self, other: &Self) -> Effect {
        let is_rope = |scene: &Self| scene.solver == SolverKind::Rope;
        let is_mesh = |scene: &Self| scene.mesh.is_some();
        if is_rope(self) != is_rope(other) || is_mesh(self) != is_mesh(other) {
            return Effect::Body;
        }
        let changed = KEYS.iter().filter(|key| key.text(self) != key.text(other));
        changed.map(|key| key.effect(other)).max().unwrap_or(Effect::None)
    }
}
