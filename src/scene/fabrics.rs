//! The fabrics that come with the crate: keys of a scene that belong together, each with its source.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Scene;
use super::error::shortened;
use super::suggest::did_you_mean;
use super::values::{Form, Value};
use crate::model::BendingForm;

/// The key with which a scene chooses its fabric.
pub(super) const FABRIC_KEY: &str = "fabric";

/// The names, in the order of `fabrics.toml`.
const NAMES: &[&str] = &["cotton", "silk", "denim", "wool", "polyester", "leather", "rubber"];

/// What a fabric weighs and how it yields, as the keys of a [`Scene`] of the same names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// What the key `fabric` calls it.
    pub name: String,
    /// Which fabric of that name was meant, in a few words.
    pub description: String,
    /// Where the numbers come from, in short; `fabrics.toml` says it of each.
    pub source: String,
    /// Mass \[kg/m²\].
    pub area_density: f32,
    /// Strain along the weft under a force per width \[m/N\].
    pub compliance: f32,
    /// The same along the warp \[m/N\].
    pub warp_compliance: f32,
    /// The same along the bias \[m/N\].
    pub shear_compliance: f32,
    /// Flexural rigidity \[N m\].
    pub bending_stiffness: f32,
    /// Rate at which velocities decay \[1/s\].
    pub damping: f32,
}

static FABRICS: LazyLock<Vec<Fabric>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        fabric: Vec<Fabric>,
    }
    toml::from_str::<File>(include_str!("fabrics.toml")).expect("fabrics.toml is a list of fabrics").fabric
});

/// Every fabric.
#[must_use]
pub fn fabrics() -> &'static [Fabric] {
    &FABRICS
}

/// The name of one of the [`fabrics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricName(&'static str);

impl Value for Option<FabricName> {
    const FORM: Form = Form::Choice(NAMES);

    fn expected() -> String {
        let [others @ .., last] = NAMES else { return String::new() };
        let others: Vec<_> = others.iter().map(|name| format!("\"{name}\"")).collect();
        format!("{} or \"{last}\"", others.join(", "))
    }

    fn found(value: &toml::Value) -> String {
        let hint = value.as_str().map_or_else(String::new, |asked| did_you_mean(asked, NAMES.iter().copied()));
        shortened(&value.to_string()) + &hint
    }

    fn read(value: &toml::Value) -> Option<Self> {
        let asked = value.as_str()?;
        NAMES.iter().find(|name| **name == asked).map(|name| Some(FabricName(name)))
    }

    fn write(&self) -> Option<toml::Value> {
        self.map(|FabricName(name)| name.into())
    }
}

impl Scene {
    /// Sets the keys of the fabric that is chosen, if one is, with what a grid needs to be of it.
    pub(super) fn take_fabric(&mut self) {
        let Some(fabric) = self.fabric.and_then(|chosen| fabrics().iter().find(|fabric| fabric.name == chosen.0))
        else {
            return;
        };
        self.area_density = fabric.area_density;
        self.compliance = fabric.compliance;
        self.warp_compliance = Some(fabric.warp_compliance);
        self.shear_compliance = fabric.shear_compliance;
        self.bending_stiffness = fabric.bending_stiffness;
        self.damping = fabric.damping;
        self.bending = true;
        self.bending_form = Some(BendingForm::Dihedral);
        self.weigh_grid();
    }

    /// Lets each particle of a grid weigh what the cloth around it does.
    pub(super) fn weigh_grid(&mut self) {
        self.particle_mass = self.area_density * self.spacing * self.spacing;
    }
}
