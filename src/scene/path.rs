//! The value `path` of a table: where something is when, and how it is turned.

use std::fmt;

use glam::{DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::error::{Wrong, shortened};
use crate::model::{Path, Pose, Turn};

/// Keyframes in order of time, all of one form: `[time, x, y, z]`, or with a rotation as well
/// `[time, x, y, z, axis x, axis y, axis z, degrees]` \[s, m\].
///
/// Two keyframes of one time are a jump from the one to the other, which is made at the start of the step that reaches it.
///
/// Positions go straight from one to the next. So do angles about one axis, where 360 degrees are a whole turn; between
/// rotations about different axes the shorter way is taken. What turns by more than half a turn in one step of the
/// simulation seems to it to turn the other way.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Keyframes(pub Vec<Vec<f64>>);

impl Keyframes {
    /// The path, turned by `rotation` all along where the keyframes have no rotations.
    pub(super) fn path(&self, rotation: Option<Quat>) -> Result<Path, Wrong> {
        let forms = "keyframes that are all [time, x, y, z], or all [time, x, y, z, axis x, axis y, axis z, degrees]";
        let first = self.0.first().ok_or_else(|| ("path", "at least one keyframe".into(), "none".into()))?;
        for keyframe in &self.0 {
            if !matches!(keyframe.len(), 4 | 8) || keyframe.len() != first.len() {
                return Err(wrong(forms, keyframe));
            }
            if !keyframe[0].is_finite() || !in_reach(position(keyframe)) {
                return Err(wrong("keyframes of a finite time in s and a position within 1e9 m", keyframe));
            }
        }
        let path = match (first.len(), rotation) {
            (8, Some(_)) => {
                let expected = "left out where the keyframes of `path` have rotations".into();
                return Err(("rotation", expected, "given".into()));
            }
            (8, None) => Path::turning(&self.0.iter().map(|keyframe| turned(keyframe)).collect::<Result<Vec<_>, _>>()?),
            (_, rotation) => {
                let rotation = rotation.unwrap_or_default();
                let pose = |keyframe: &Vec<f64>| (keyframe[0], Pose { position: position(keyframe), rotation });
                Path::through(self.0.iter().map(pose).collect())
            }
        };
        path.ok_or_else(|| wrong(&format!("keyframes {IN_ORDER}"), &self.0))
    }
}

/// What the times of keyframes must be.
pub(super) const IN_ORDER: &str = "each later than the one before, but for two of one time, between which it jumps";

/// The value `rotation` of a table, an axis and an angle about it, `[x, y, z, degrees]`.
pub(super) fn rotation(value: [f32; 4]) -> Result<Quat, Wrong> {
    turn(value.map(f64::from)).map(|turn| turn.rotation()).ok_or_else(|| {
        let expected = "an axis that has a length and an angle, [x, y, z, degrees]".into();
        ("rotation", expected, format!("{value:?}"))
    })
}

/// Whether a position is near enough to the origin for 32 bits; NaN is not.
pub(super) fn in_reach(position: Vec3) -> bool {
    position.to_array().iter().all(|coordinate| coordinate.abs() <= 1e9)
}

fn turn([x, y, z, degrees]: [f64; 4]) -> Option<Turn> {
    let axis = DVec3::new(x, y, z).try_normalize()?;
    (degrees.abs() <= 1e9).then(|| Turn { axis, angle: degrees.to_radians() })
}

fn position(keyframe: &[f64]) -> Vec3 {
    DVec3::from_slice(&keyframe[1..]).as_vec3()
}

/// Time, position and turn of a keyframe of 8 numbers.
fn turned(keyframe: &[f64]) -> Result<(f64, Vec3, Turn), Wrong> {
    let expected = "keyframes whose rotations are each an axis that has a length and an angle from -1e9 to 1e9 degrees";
    let turn = turn([keyframe[4], keyframe[5], keyframe[6], keyframe[7]]).ok_or_else(|| wrong(expected, &keyframe))?;
    Ok((keyframe[0], position(keyframe), turn))
}

fn wrong(expected: &str, found: &impl fmt::Debug) -> Wrong {
    ("path", expected.into(), shortened(&format!("{found:?}")))
}
