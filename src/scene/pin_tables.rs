//! The key `pin`: an array of tables, each with the particles that it holds, and how long and on which way.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::SceneMesh;
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
    /// Those with these indices; of a mesh, the vertices of its file with these, from 0 in the file's order.
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
    /// Those that the mesh's file has in a group of this name: a group or an object of OBJ, a node, a mesh or a material of
    /// glTF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Those for which the mesh's file has a number above `above` under this name, as a painted colour is: `color.r`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// What an attribute must be above; 0.5 where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f32>,
    /// The number of a `[[collider]]`, from 1, that carries them on its path; instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collider: Option<usize>,
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
         `box` = [[x, y, z], [x, y, z]], `sphere` = [x, y, z, radius], `group` and `attribute`, and if you like with `path` \
         or `collider`, and `release`"
            .into()
    }
}

/// Pins and attaches the particles of a cloth that is not pinned yet, which may be that of a mesh; `paths` are those of the
/// colliders. Fails with the number of the table at fault, from 1, and with what is wrong with it.
pub(super) fn pin(
    tables: &[PinTable],
    cloth: &mut Cloth,
    mesh: Option<&SceneMesh>,
    paths: &[Path],
) -> Result<(), (usize, Wrong)> {
    if tables.len() > MOST_ATTACHMENTS {
        let expected = format!("one of at most {MOST_ATTACHMENTS} tables");
        return Err((MOST_ATTACHMENTS + 1, ("particles", expected, format!("one of {}", tables.len()))));
    }
    let mut holders = vec![0; cloth.positions.len()];
    for (table, number) in tables.iter().zip(1..) {
        let told = |wrong| (number, wrong);
        let (key, particles) = table.select(cloth, mesh).map_err(told)?;
        for &particle in &particles {
            let holder = std::mem::replace(&mut holders[particle as usize], number);
            if holder != 0 && holder != number {
                let expected = format!("particles that no other table names, but pin {holder} has one of them");
                return Err(told((key, expected, particle.to_string())));
            }
        }
        table.hold(particles, cloth, paths).map_err(told)?;
    }
    Ok(())
}

impl PinTable {
    /// The key that says which particles they are, and those.
    fn select(&self, cloth: &Cloth, mesh: Option<&SceneMesh>) -> Result<(&'static str, Vec<u32>), Wrong> {
        let Self { particles, row, column, region, sphere, group, attribute, .. } = self;
        let given = [
            ("particles", particles.is_some()),
            ("row", row.is_some()),
            ("column", column.is_some()),
            ("box", region.is_some()),
            ("sphere", sphere.is_some()),
            ("group", group.is_some()),
            ("attribute", attribute.is_some()),
        ];
        let mut given = given.into_iter().filter_map(|(key, given)| given.then_some(key));
        let (key, other) = (given.next(), given.next());
        if let (Some(key), Some(other)) = (key, other) {
            return Err((other, format!("left out where `{key}` is given"), "given".into()));
        }
        if self.above.is_some() && attribute.is_none() {
            return Err(("above", "left out where `attribute` is not given".into(), "given".into()));
        }
        let inside = |is_inside: &dyn Fn(Vec3) -> bool| {
            let count = cloth.positions.len() as u32;
            (0..count).filter(|&index| is_inside(cloth.positions[index as usize].truncate())).collect()
        };
        let particles: Vec<u32> = match (particles, row.or(*column), region, sphere) {
            (Some(indices), ..) => by_index(indices, cloth, mesh)?,
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
            _ => match (group, attribute) {
                (Some(name), _) => by_group(name, mesh)?,
                (_, Some(name)) => by_attribute(name, self.above.unwrap_or(0.5), mesh)?,
                _ => {
                    let expected = "given, or one of `row`, `column`, `box`, `sphere`, `group` and `attribute`".into();
                    return Err(("particles", expected, "left out".into()));
                }
            },
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
            return Err((key, "left out where the cloth is not one grid".into(), "given".into()));
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

    fn hold(&self, particles: Vec<u32>, cloth: &mut Cloth, paths: &[Path]) -> Result<(), Wrong> {
        if let Some(release) = self.release
            && !(release > 0.0 && release <= 1e9)
        {
            return Err(("release", "a time above 0 and up to 1e9 s".into(), release.to_string()));
        }
        let path = match (&self.path, self.collider) {
            (Some(_), Some(_)) => return Err(("path", "left out where `collider` is given".into(), "given".into())),
            (Some(path), None) => Some(path.path(None)?),
            (None, Some(number)) => Some(collider_path(number, paths)?),
            (None, None) => None,
        };
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

/// The path of the collider with a number from 1.
fn collider_path(number: usize, paths: &[Path]) -> Result<Path, Wrong> {
    let path = number.checked_sub(1).and_then(|index| paths.get(index));
    let expected = || match paths.len() {
        0 => "left out where the scene has no `[[collider]]`".into(),
        count => format!("the number of a collider, from 1 to {count}"),
    };
    path.cloned().ok_or_else(|| ("collider", expected(), number.to_string()))
}

/// The particles with these indices; of a mesh, those of its file's vertices.
fn by_index(indices: &[u32], cloth: &Cloth, mesh: Option<&SceneMesh>) -> Result<Vec<u32>, Wrong> {
    let (count, what) = match mesh {
        Some(mesh) => (mesh.prepared.particles.len(), format!("vertices in {}", mesh.path.display())),
        None => (cloth.positions.len(), "particles".into()),
    };
    if let Some(index) = indices.iter().find(|&&index| index as usize >= count) {
        return Err(("particles", format!("indices from 0 to {} of {count} {what}", count - 1), index.to_string()));
    }
    Ok(match mesh {
        Some(mesh) => indices.iter().map(|&vertex| mesh.prepared.particles[vertex as usize]).collect(),
        None => indices.to_vec(),
    })
}

/// The particles that a mesh's file has in a group.
fn by_group(name: &str, mesh: Option<&SceneMesh>) -> Result<Vec<u32>, Wrong> {
    let mesh = mesh.ok_or_else(|| no_mesh("group"))?;
    let groups = &mesh.source.groups;
    let Some(group) = groups.iter().find(|group| group.name == name) else {
        let expected = one_of("groups", mesh, groups.iter().map(|group| group.name.as_str()));
        return Err(("group", expected, format!("{name:?}")));
    };
    Ok(group.vertices.iter().map(|&vertex| mesh.prepared.particles[vertex as usize]).collect())
}

/// The particles for which a mesh's file has a number above `above` under a name.
fn by_attribute(name: &str, above: f32, mesh: Option<&SceneMesh>) -> Result<Vec<u32>, Wrong> {
    let mesh = mesh.ok_or_else(|| no_mesh("attribute"))?;
    let attributes = &mesh.source.attributes;
    let Some(attribute) = attributes.iter().find(|attribute| attribute.name == name) else {
        let expected = one_of("attributes", mesh, attributes.iter().map(|attribute| attribute.name.as_str()));
        return Err(("attribute", expected, format!("{name:?}")));
    };
    let values = attribute.values.iter().zip(&mesh.prepared.particles);
    Ok(values.filter(|(value, _)| **value > above).map(|(_, particle)| *particle).collect())
}

fn no_mesh(key: &'static str) -> Wrong {
    (key, "left out where the cloth is a grid".into(), "given".into())
}

/// What a name must be of those that a file has.
fn one_of<'a>(what: &str, mesh: &SceneMesh, names: impl Iterator<Item = &'a str>) -> String {
    /// As many names as a sentence can have.
    const MOST_NAMES: usize = 20;
    let mut names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    if names.is_empty() {
        return format!("left out, as {} has no {what}", mesh.path.display());
    }
    if names.len() > MOST_NAMES {
        names.truncate(MOST_NAMES);
        names.push("…".into());
    }
    format!("one of the {what} in {}: {}", mesh.path.display(), names.join(", "))
}
