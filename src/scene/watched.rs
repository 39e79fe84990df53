//! What a scene is watched for, and what its particles are called in what is told.

use super::values::{Form, Value};
use super::{Scene, SolverKind};
use crate::model::Body;
use crate::solver::{WatchPolicy, WatchSettings};

/// Into how many times as many substeps a step is divided at most, where a run goes back.
const MOST_FACTOR: u32 = 16;

impl Scene {
    /// Beyond what a simulation has gone wrong, and what is done then. A cache that is played back is as it is.
    #[must_use]
    pub fn watch_settings(&self) -> WatchSettings {
        WatchSettings {
            policy: if self.playback.is_some() { WatchPolicy::Off } else { self.watch },
            most_strain: self.watch_strain,
            most_speed: self.watch_speed,
            most_depth: self.watch_depth,
            every: self.watch_every,
            sleep_speed: if self.playback.is_some() { 0.0 } else { self.sleep_speed },
        }
    }

    /// This scene with `factor` times as many substeps.
    #[must_use]
    pub fn divided(&self, factor: u32) -> Self {
        Self { substeps: self.substeps.saturating_mul(factor), ..self.clone() }
    }

    /// How many times as many substeps its steps can have at most: a power of two, and 1 where its solver has no substeps.
    #[must_use]
    pub fn most_factor(&self) -> u32 {
        if self.solver == SolverKind::XpbdDocument || self.playback.is_some() {
            return 1;
        }
        let can_have = |factor: &u32| self.divided(*factor).validate().is_ok();
        std::iter::successors(Some(MOST_FACTOR), |factor| Some(factor / 2)).find(can_have).unwrap_or(1)
    }

    /// What a person calls a particle of this scene, whose body is `body`: by the vertices of a mesh's file, by row and column of
    /// a grid, or by rope.
    #[must_use]
    pub fn particle_name(&self, body: &Body, particle: u32) -> String {
        match body {
            Body::Ropes(ropes) => {
                let rope = ropes.ropes().iter().position(|rope| rope.particles.contains(&particle));
                let first = rope.map_or(0, |rope| ropes.ropes()[rope].particles.start);
                format!("particle {} of rope {}", particle - first, rope.unwrap_or_default())
            }
            Body::Cloth(_) => match self.scene_mesh() {
                Ok(Some(mesh)) => {
                    let numbers = mesh.prepared.particles.iter().zip(mesh.source.first_number..);
                    let of_it = numbers.filter(|(of, _)| **of == particle).map(|(_, number)| number.to_string());
                    match &*of_it.collect::<Vec<_>>() {
                        [number] => format!("vertex {number}"),
                        numbers => format!("vertices {}", numbers.join(", ")),
                    }
                }
                _ => self.grid_name(particle),
            },
        }
    }

    fn grid_name(&self, particle: u32) -> String {
        let (copy, index) = (particle / (self.columns * self.rows), particle % (self.columns * self.rows));
        let (row, column) = (index / self.columns, index % self.columns);
        let of = if self.cloth_count > 1 { format!(" of cloth {copy}") } else { String::new() };
        format!("particle {particle} (row {row}, column {column}{of})")
    }
}

impl Value for WatchPolicy {
    const FORM: Form = Form::Choice(&["off", "warn", "pause", "recover"]);

    fn expected() -> String {
        "\"off\", \"warn\", \"pause\" or \"recover\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "off" => Some(Self::Off),
            "warn" => Some(Self::Warn),
            "pause" => Some(Self::Pause),
            "recover" => Some(Self::Recover),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        Some(self.name().into())
    }
}
