//! The types of the keys: what each reads from TOML, and how a range is said.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use glam::Vec3;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::shortened;
use crate::io::{MeshFormat, mesh_endings};
use crate::model::{BendingForm, GridPlane, HeldEnds};
use crate::solver::{self, ConstraintSolver, VerletStorage};

/// Which solver moves the particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolverKind {
    /// Mass-spring Verlet on images, document 000.
    Verlet,
    /// Mass-spring with velocities, document 001.
    MassSpring,
    /// Extended position based dynamics: constraints with a compliance.
    Xpbd,
    /// Position based dynamics: rigid constraints.
    Pbd,
    /// What document 002 does: `Xpbd` in one substep a step, each iteration of which forgets the ones before.
    XpbdDocument,
    /// Ropes by Verlet integration and distance constraints, document 004.
    Rope,
}

impl SolverKind {
    /// Every solver.
    pub const ALL: [Self; 6] = [Self::Verlet, Self::MassSpring, Self::Xpbd, Self::Pbd, Self::XpbdDocument, Self::Rope];

    /// Whether it moves springs on a grid, and not constraints.
    #[must_use]
    pub fn needs_grid(self) -> bool {
        matches!(self, Self::Verlet | Self::MassSpring)
    }

    /// Whether it moves constraints between any particles.
    #[must_use]
    pub fn takes_mesh(self) -> bool {
        matches!(self, Self::Xpbd | Self::Pbd | Self::XpbdDocument)
    }
}

impl fmt::Display for SolverKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Verlet => "verlet",
            Self::MassSpring => "mass-spring",
            Self::Xpbd => "xpbd",
            Self::Pbd => "pbd",
            Self::XpbdDocument => "xpbd-document",
            Self::Rope => "rope",
        })
    }
}

/// A name that no solver has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no solver `{asked}`: give {}", SolverKind::expected())]
pub struct UnknownSolver {
    /// The name as given.
    pub asked: String,
}

impl FromStr for SolverKind {
    type Err = UnknownSolver;

    fn from_str(asked: &str) -> Result<Self, UnknownSolver> {
        let named = Self::ALL.into_iter().find(|kind| kind.to_string() == asked);
        named.ok_or_else(|| UnknownSolver { asked: asked.into() })
    }
}

/// Which particles of a grid are held where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pins {
    /// All of row 0.
    TopRow,
    /// Both ends of row 0.
    TopCorners,
    /// None.
    None,
    /// Those with these indices.
    Particles(Vec<u32>),
}

/// What values of a key look like, for those who let people edit them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// Three numbers `[x, y, z]`.
    Vector,
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Anything else.
    Text,
}

/// A type that a key can have.
pub(super) trait Value: Sized {
    /// What its values look like.
    const FORM: Form = Form::Text;

    /// What a value must be, to end "must be".
    fn expected() -> String;

    /// How a value that is not as expected is told, to end "not".
    fn found(value: &toml::Value) -> String {
        shortened(&value.to_string())
    }

    /// Reads a value; none where it has another type.
    fn read(value: &toml::Value) -> Option<Self>;

    /// Writes what [`Value::read`] reads; none where the key is not set.
    fn write(&self) -> Option<toml::Value>;
}

/// One of an array of tables, as a key may have.
pub(super) trait Table: DeserializeOwned + Serialize {
    /// What the array must be, to end "must be".
    fn expected() -> String;
}

impl<T: Table> Value for Vec<T> {
    fn expected() -> String {
        <T as Table>::expected()
    }

    /// Which table it is, and what is wrong with it.
    fn found(value: &toml::Value) -> String {
        let tables = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let problem = |table: &toml::Value| table.clone().try_into::<T>().err();
        match tables.iter().zip(1..).find_map(|(table, number)| Some((number, problem(table)?))) {
            Some((number, problem)) => {
                format!("one whose table {number} has this: {}", problem.to_string().trim().replace('\n', ", "))
            }
            None => shortened(&value.to_string()),
        }
    }

    fn read(value: &toml::Value) -> Option<Self> {
        value.clone().try_into().ok()
    }

    fn write(&self) -> Option<toml::Value> {
        if self.is_empty() {
            return None;
        }
        toml::Value::try_from(self).ok()
    }
}

impl Value for u32 {
    const FORM: Form = Form::Whole;

    fn expected() -> String {
        "a whole number".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        value.as_integer()?.try_into().ok()
    }

    fn write(&self) -> Option<toml::Value> {
        Some(i64::from(*self).into())
    }
}

impl Value for f32 {
    const FORM: Form = Form::Number;

    fn expected() -> String {
        "a number".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value {
            toml::Value::Integer(number) => Some(*number as f32),
            toml::Value::Float(number) => Some(*number as f32),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        // Through the shortest text that reads back as the same f32: 0.02 rather than 0.019999999552965164.
        self.to_string().parse().ok().map(toml::Value::Float)
    }
}

impl Value for bool {
    const FORM: Form = Form::Switch;

    fn expected() -> String {
        "true or false".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        value.as_bool()
    }

    fn write(&self) -> Option<toml::Value> {
        Some((*self).into())
    }
}

impl Value for Vec3 {
    const FORM: Form = Form::Vector;

    fn expected() -> String {
        "three numbers [x, y, z], each".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        let numbers: Option<Vec<f32>> = value.as_array()?.iter().map(f32::read).collect();
        <[f32; 3]>::try_from(numbers?).ok().map(Vec3::from_array)
    }

    fn write(&self) -> Option<toml::Value> {
        Some(toml::Value::Array(self.to_array().iter().filter_map(Value::write).collect()))
    }
}

impl Value for SolverKind {
    const FORM: Form = Form::Choice(&["verlet", "mass-spring", "xpbd", "pbd", "xpbd-document", "rope"]);

    fn expected() -> String {
        let [others @ .., last] = Self::ALL.map(|kind| format!("\"{kind}\""));
        format!("{} or {last}", others.join(", "))
    }

    fn read(value: &toml::Value) -> Option<Self> {
        value.as_str()?.parse().ok()
    }

    fn write(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }
}

impl Value for GridPlane {
    const FORM: Form = Form::Choice(&["vertical", "horizontal"]);

    fn expected() -> String {
        "\"vertical\" or \"horizontal\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "vertical" => Some(Self::Vertical),
            "horizontal" => Some(Self::Horizontal),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = match self {
            Self::Vertical => "vertical",
            Self::Horizontal => "horizontal",
        };
        Some(word.into())
    }
}

impl Value for ConstraintSolver {
    const FORM: Form = Form::Choice(&["gauss-seidel", "jacobi"]);

    fn expected() -> String {
        "\"gauss-seidel\" or \"jacobi\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "gauss-seidel" => Some(Self::GaussSeidel),
            "jacobi" => Some(Self::Jacobi),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = match self {
            Self::GaussSeidel => "gauss-seidel",
            Self::Jacobi => "jacobi",
        };
        Some(word.into())
    }
}

impl Value for solver::Path {
    const FORM: Form = Form::Choice(&["auto", "plain", "fused"]);

    fn expected() -> String {
        "\"auto\", \"plain\" or \"fused\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "auto" => Some(Self::Auto),
            "plain" => Some(Self::Plain),
            "fused" => Some(Self::Fused),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = match self {
            Self::Auto => "auto",
            Self::Plain => "plain",
            Self::Fused => "fused",
        };
        Some(word.into())
    }
}

impl Value for VerletStorage {
    const FORM: Form = Form::Choice(&["images", "buffers"]);

    fn expected() -> String {
        "\"images\" or \"buffers\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "images" => Some(Self::Images),
            "buffers" => Some(Self::Buffers),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = match self {
            Self::Images => "images",
            Self::Buffers => "buffers",
        };
        Some(word.into())
    }
}

impl Value for Option<BendingForm> {
    const FORM: Form = Form::Choice(&["dihedral", "distance"]);

    fn expected() -> String {
        "\"dihedral\" or \"distance\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "dihedral" => Some(Some(BendingForm::Dihedral)),
            "distance" => Some(Some(BendingForm::Distance)),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = |form: &BendingForm| match form {
            BendingForm::Dihedral => "dihedral",
            BendingForm::Distance => "distance",
        };
        self.as_ref().map(|form| word(form).into())
    }
}

impl Value for Option<Vec3> {
    fn expected() -> String {
        Vec3::expected()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        Vec3::read(value).map(Some)
    }

    fn write(&self) -> Option<toml::Value> {
        self.as_ref().and_then(Value::write)
    }
}

impl Value for Option<f32> {
    fn expected() -> String {
        f32::expected()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        f32::read(value).map(Some)
    }

    fn write(&self) -> Option<toml::Value> {
        self.as_ref().and_then(Value::write)
    }
}

impl Value for Vec<[f64; 4]> {
    fn expected() -> String {
        "an array of keyframes [time, x, y, z], in s and m".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        value.clone().try_into().ok()
    }

    fn write(&self) -> Option<toml::Value> {
        toml::Value::try_from(self).ok()
    }
}

impl Value for HeldEnds {
    const FORM: Form = Form::Choice(&["both", "first", "last", "none"]);

    fn expected() -> String {
        "\"both\", \"first\", \"last\" or \"none\"".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        match value.as_str()? {
            "both" => Some(Self::Both),
            "first" => Some(Self::First),
            "last" => Some(Self::Last),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = match self {
            Self::Both => "both",
            Self::First => "first",
            Self::Last => "last",
            Self::None => "none",
        };
        Some(word.into())
    }
}

impl Value for Pins {
    fn expected() -> String {
        "\"top-row\", \"top-corners\", \"none\" or an array of particle indices such as [0, 99]".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        if let Some(indices) = value.as_array() {
            return indices.iter().map(u32::read).collect::<Option<_>>().map(Self::Particles);
        }
        match value.as_str()? {
            "top-row" => Some(Self::TopRow),
            "top-corners" => Some(Self::TopCorners),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    fn write(&self) -> Option<toml::Value> {
        let word = match self {
            Self::TopRow => "top-row",
            Self::TopCorners => "top-corners",
            Self::None => "none",
            Self::Particles(indices) => {
                return Some(indices.iter().filter_map(Value::write).collect::<Vec<_>>().into());
            }
        };
        Some(word.into())
    }
}

impl Value for Option<PathBuf> {
    fn expected() -> String {
        format!("the path of a mesh ({})", mesh_endings())
    }

    /// The empty path stands for one that has to be set yet, as in the preset `mesh`.
    fn read(value: &toml::Value) -> Option<Self> {
        let path = Path::new(value.as_str()?);
        let is_mesh = path.as_os_str().is_empty() || MeshFormat::of(path).is_some();
        is_mesh.then(|| Some(path.to_owned()))
    }

    fn write(&self) -> Option<toml::Value> {
        self.as_ref().map(|path| path.display().to_string().into())
    }
}

/// A type made of numbers, which can be within a range; NaN is within none.
pub(super) trait Numbers {
    /// The type of each.
    type Number: Copy + Into<f64>;

    /// Whether all are within `range`.
    fn are_within(&self, range: &RangeInclusive<Self::Number>) -> bool;
}

impl Numbers for u32 {
    type Number = u32;

    fn are_within(&self, range: &RangeInclusive<u32>) -> bool {
        range.contains(self)
    }
}

impl Numbers for f32 {
    type Number = f32;

    fn are_within(&self, range: &RangeInclusive<f32>) -> bool {
        range.contains(self)
    }
}

impl Numbers for Vec3 {
    type Number = f32;

    fn are_within(&self, range: &RangeInclusive<f32>) -> bool {
        self.to_array().iter().all(|number| range.contains(number))
    }
}

impl Numbers for Option<f32> {
    type Number = f32;

    fn are_within(&self, range: &RangeInclusive<f32>) -> bool {
        self.is_none_or(|number| range.contains(&number))
    }
}

impl Numbers for Option<Vec3> {
    type Number = f32;

    fn are_within(&self, range: &RangeInclusive<f32>) -> bool {
        self.is_none_or(|numbers| numbers.are_within(range))
    }
}

/// A range as it ends "a number": " from 0 to 1 s".
pub(super) fn range_text<Number: fmt::Display + fmt::LowerExp>(range: &RangeInclusive<Number>, unit: &str) -> String {
    let text = |number: &Number| {
        let (plain, scientific) = (number.to_string(), format!("{number:e}"));
        if scientific.len() + 3 < plain.len() { scientific } else { plain }
    };
    format!(" from {} to {} {unit}", text(range.start()), text(range.end())).trim_end().into()
}
