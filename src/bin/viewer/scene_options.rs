//! What a command line changes in a scene, alike in every program that takes one.

use clap::Args;
use tautline::scene::SolverKind;

use crate::setting::key_and_value;

#[derive(Debug, Args)]
pub struct SceneOptions {
    /// Solver to use instead of the scene's: verlet, mass-spring, xpbd, pbd, xpbd-document or rope
    #[arg(long, value_name = "SOLVER")]
    solver: Option<SolverKind>,

    /// Changes a parameter of the scene; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    settings: Vec<(String, String)>,

    /// Metres in one unit of a mesh file, as 0.01 for centimetres; else what its format says, or a guess from its size
    #[arg(long, value_name = "METRES")]
    scale: Option<f32>,

    /// What points up in a mesh file: x, y or z; else what is usual for its kind, z for PLY and STL and y for the others
    #[arg(long, value_name = "AXIS", value_parser = ["x", "y", "z"])]
    up: Option<String>,

    /// What the cloth is made of (see viewer --list-fabrics); what --set changes counts more
    #[arg(long, value_name = "NAME")]
    fabric: Option<String>,

    /// How the work of a step is divided into dispatches on the GPU, with the same result: as is fastest there, one for each
    /// part of the method, or as much as possible in each
    #[arg(long, value_parser = ["auto", "plain", "fused"])]
    path: Option<String>,
}

impl SceneOptions {
    /// Keys of the scene, and their values as it takes them.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = self.settings.clone();
        settings.extend(self.fabric.iter().map(|name| ("fabric".to_string(), quoted(name))));
        settings.extend(self.path.iter().map(|path| ("path".to_string(), quoted(path))));
        settings.extend(self.solver.map(|solver| ("solver".to_string(), solver.to_string())));
        settings.extend(self.scale.map(|scale| ("scale".to_string(), scale.to_string())));
        settings.extend(self.up.iter().map(|up| ("up".to_string(), up.clone())));
        settings
    }
}

/// A text as TOML has it.
pub fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
