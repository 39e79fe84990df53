//! The key `pin`: an array of tables, each with the particles that it holds, and how long and on which way.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::error::Wrong;
use super::path::{Keyframes, in_reach};
use super::values::Table;
use crate::model::{Cloth, Path, Pose};
use crate::solver::MOST_ATTACHMENTS;

/// One `[[pin]]` of a scene file. It says in one way which particles it holds, where they start, and takes them over from
/// the key `pins`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PinTable {
    /// Those with these indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub particles: Option<Vec<u32>>,
    /// All of one row of a grid; row 0 is on top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    /// All of one column of a grid; column 0 is on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Those in a box along the axes, from one corner to the opposite one \[m\].
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<[Vec3; 2]>,
    /// Those in a sphere, `[x, y, z, radius]` \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<[f32; 4]>,
    /// Where a frame is when, and how it is turned there, that carries them as one rigid body from where they start; left
    /// out, they stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Keyframes>,
    /// When they are let go \[s\]; left out, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<f64>,
}

impl Table for PinTable {
    fn expected() -> String {
        "an array of tables such as {row = 0, release = 2.0}, each with one of the keys `particles`, `row`, `column`, \
         `box` = [[x, y, z], [x, y, z]] and `sphere` = [x, y, z, radius], and if you like with `path` and `release`"
            .into()
    }
}

/// Pins and attaches the particles of a cloth that is not pinned yet. Fails with the number of the table at fault, from 1,
/// and with what is wrong with it.
pub(super) fn pin(tables: &[PinTable], cloth: &mut Cloth) -> Result<(), (usize, Wrong)> {
    if tables.len() > MOST_ATTACHMENTS {
        let expected = format!("one of at most {MOST_ATTACHMENTS} tables");
        return Err((MOST_ATTACHMENTS + 1, ("particles", expected, format!("one of {}", tables.len()))));
    }
    let mut holders = vec![0; cloth.positions.len()];
    for (table, number) in tables.iter().zip(1..) {
        let told = |wrong| (number, wrong);
        let (key, particles) = table.select(cloth).map_err(told)?;
        for &particle in &particles {
            let holder = std::mem::replace(&mut holders[particle as usize], number);
            if holder != 0 && holder != number {
                let expected = format!("particles that no other table names, but pin {holder} has one of them");
                return Err(told((key, expected, particle.to_string())));
            }
        }
        table.hold(particles, cloth).map_err(told)?;
    }
    Ok(())
}

impl PinTable {
    /// The key that says which particles they are, and those.
    fn select(&self, cloth: &Cloth) -> Result<(&'static str, Vec<u32>), Wrong> {
        let Self { particles, row, column, region, sphere, .. } = self;
        let given = [
            ("particles", particles.is_some()),
            ("row", row.is_some()),
            ("column", column.is_some()),
            ("box", region.is_some()),
            ("sphere", sphere.is_some()),
        ];
        let mut given = given.into_iter().filter_map(|(key, given)| given.then_some(key));
        let (key, other) = (given.next(), given.next());
        if let (Some(key), Some(other)) = (key, other) {
            return Err((other, format!("left out where `{key}` is given"), "given".into()));
        }
        let count = cloth.positions.len();
        let inside = |is_inside: &dyn Fn(Vec3) -> bool| {
            (0..count as u32).filter(|&index| is_inside(cloth.positions[index as usize].truncate())).collect()
        };
        let particles: Vec<u32> = match (particles, row.or(*column), region, sphere) {
            (Some(particles), ..) => match particles.iter().find(|&&index| index as usize >= count) {
                None => particles.clone(),
                Some(index) => {
                    let expected = format!("indices from 0 to {} of {count} particles", count - 1);
                    return Err(("particles", expected, index.to_string()));
                }
            },
            (_, Some(line), ..) => self.line(line, cloth)?,
            (.., Some(corners), _) => {
                if !corners.iter().all(|&corner| in_reach(corner)) {
                    let found = format!("{} and {}", corners[0], corners[1]);
                    return Err(("box", "two corners within 1e9 m".into(), found));
                }
                let (least, most) = (corners[0].min(corners[1]), corners[0].max(corners[1]));
                inside(&|at| at.cmpge(least).all() && at.cmple(most).all())
            }
            (.., Some([x, y, z, radius])) => {
                let centre = Vec3::new(*x, *y, *z);
                if !in_reach(centre) || !(0.0..=1e9).contains(radius) {
                    let expected = "a centre within 1e9 m and a radius from 0 to 1e9 m, [x, y, z, radius]";
                    return Err(("sphere", expected.into(), format!("{:?}", [x, y, z, radius])));
                }
                inside(&|at| at.distance(centre) <= *radius)
            }
            _ => {
                let expected = "given, or one of `row`, `column`, `box` and `sphere`".into();
                return Err(("particles", expected, "left out".into()));
            }
        };
        match key {
            Some(key) if !particles.is_empty() => Ok((key, particles)),
            key => Err((key.unwrap_or_default(), "such that it holds at least one particle".into(), "empty".into())),
        }
    }

    /// The particles of a row or a column.
    fn line(&self, line: u32, cloth: &Cloth) -> Result<Vec<u32>, Wrong> {
        let key = if self.row.is_some() { "row" } else { "column" };
        let Some(grid) = cloth.grid else {
            return Err((key, "left out where the cloth is a mesh".into(), "given".into()));
        };
        let lines = if self.row.is_some() { grid.rows } else { grid.columns };
        if line >= lines {
            return Err((key, format!("a whole number from 0 to {}", lines - 1), line.to_string()));
        }
        Ok(match self.row {
            Some(row) => grid.row(row).collect(),
            None => (0..grid.rows).map(|row| grid.index(line, row)).collect(),
        })
    }

    fn hold(&self, particles: Vec<u32>, cloth: &mut Cloth) -> Result<(), Wrong> {
        if let Some(release) = self.release
            && !(release > 0.0 && release <= 1e9)
        {
            return Err(("release", "a time above 0 and up to 1e9 s".into(), release.to_string()));
        }
        let path = self.path.as_ref().map(|path| path.path(None)).transpose()?;
        if path.is_none() && self.release.is_none() {
            cloth.pin(particles);
            return Ok(());
        }
        let path = path.unwrap_or_else(|| Path::resting(Pose { position: Vec3::ZERO, rotation: Default::default() }));
        // Vertices that no triangle uses have no mass to be let go with, and stay where they are.
        let mut heavy: Vec<u32> =
            particles.into_iter().filter(|&index| cloth.positions[index as usize].w > 0.0).collect();
        heavy.sort_unstable();
        heavy.dedup();
        if heavy.is_empty() {
            let expected = "such that it holds at least one particle that a triangle uses, for the others have no mass";
            return Err(("path", expected.into(), "given".into()));
        }
        cloth.attach(heavy, path, self.release);
        Ok(())
    }
}
