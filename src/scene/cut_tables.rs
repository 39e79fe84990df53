//! The key `cut`: an array of tables, each a blade with the time at which it cuts.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::error::Wrong;
use super::path::in_reach;
use super::values::Table;
use crate::model::{Blade, Cut};

/// One `[[cut]]` of a scene file: a stroke `from` a point `to` another, or a whole plane through a `point`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CutTable {
    /// When it cuts \[s\].
    pub time: f64,
    /// Where the stroke begins \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec3>,
    /// Where it ends \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec3>,
    /// Which way its blade reaches, there and back without end; left out, along z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vec3>,
    /// A point of the plane \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<Vec3>,
    /// The plane's normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<Vec3>,
}

impl Table for CutTable {
    fn expected() -> String {
        "an array of tables such as {time = 2.0, from = [-1, 0, 0], to = [1, 0, 0], direction = [0, 0, 1]}, or {time = 2.0, \
         point = [0, 0, 0], normal = [1, 0, 0]} for a whole plane"
            .into()
    }
}

impl CutTable {
    /// The cut, or what is wrong with the table.
    pub(super) fn cut(&self) -> Result<Cut, Wrong> {
        if !(0.0..=1e9).contains(&self.time) {
            return Err(("time", "a time from 0 to 1e9 s".into(), self.time.to_string()));
        }
        let Self { from, to, direction, point, normal, .. } = *self;
        let given = [("from", from), ("to", to), ("direction", direction), ("point", point), ("normal", normal)];
        if let Some((key, Some(value))) =
            given.into_iter().find(|(_, value)| value.is_some_and(|value| !in_reach(value)))
        {
            return Err((key, "three numbers, each from -1e9 to 1e9".into(), value.to_string()));
        }
        let blade = match (from, to, point, normal) {
            (Some(from), Some(to), None, None) => {
                let direction = direction.unwrap_or(Vec3::Z);
                if direction.try_normalize().is_none() {
                    let expected = "a vector of a length from 1e-18 to 1e18".into();
                    return Err(("direction", expected, direction.to_string()));
                }
                Blade::stroke(from, to, direction).ok_or_else(|| {
                    let expected = format!("such that the stroke has a length across its direction {direction}");
                    ("to", expected, to.to_string())
                })?
            }
            (None, None, Some(point), Some(normal)) if direction.is_none() => Blade::plane(point, normal)
                .ok_or_else(|| ("normal", "a vector of a length from 1e-18 to 1e18".into(), normal.to_string()))?,
            _ => {
                let names = given.iter().filter_map(|(key, value)| value.map(|_| format!("`{key}`")));
                let names: Vec<_> = names.collect();
                let found = if names.is_empty() { "left out".into() } else { names.join(", ") };
                let expected = "given with `to`, and if you like `direction`, or else `point` with `normal`";
                return Err(("from", expected.into(), found));
            }
        };
        Ok(Cut { time: self.time, blade })
    }
}
