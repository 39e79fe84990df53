//! Triangles that are left out: those without an area, and those that lie on others.

use glam::Vec3;

use super::findings::Findings;
use crate::model::mesh::has_area;

/// A triangle that is kept.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    /// Which of all triangles of the file it is.
    pub(super) triangle: u32,
    /// The vertices that stand for its corners after welding.
    pub(super) vertices: [u32; 3],
}

/// The triangles with an area, and of those that have the same three vertices only the first. What is left out is added to
/// the findings, by the face that it is part of.
pub(super) fn sound_triangles(
    mut kept: Vec<Kept>,
    faces: &[u32],
    positions: &[Vec3],
    findings: &mut Findings,
) -> Vec<Kept> {
    let face = |kept: &Kept| faces[kept.triangle as usize];
    kept.retain(|kept| {
        let has_area = has_area(kept.vertices.map(|vertex| positions[vertex as usize].as_dvec3()));
        if !has_area {
            findings.no_area.push(face(kept));
        }
        has_area
    });

    let mut by_vertices: Vec<([u32; 3], u32)> = (0..).zip(&kept).map(|(index, kept)| (key(kept), index)).collect();
    by_vertices.sort_unstable();
    let mut is_double = vec![false; kept.len()];
    for same in by_vertices.chunk_by(|left, right| left.0 == right.0).filter(|same| same.len() > 1) {
        let first = kept[same[0].1 as usize];
        for &(_, index) in &same[1..] {
            is_double[index as usize] = true;
            let other = kept[index as usize];
            let pair = [face(&other), face(&first)];
            let list = if faces_alike(first.vertices, other.vertices) {
                &mut findings.duplicates
            } else {
                &mut findings.opposites
            };
            list.push(pair);
        }
    }
    for list in [&mut findings.duplicates, &mut findings.opposites] {
        list.sort_unstable();
        list.dedup();
    }
    findings.no_area.sort_unstable();
    findings.no_area.dedup();
    let mut is_double = is_double.into_iter();
    kept.retain(|_| is_double.next() == Some(false));
    kept
}

/// The same for triangles of the same vertices.
fn key(kept: &Kept) -> [u32; 3] {
    let mut vertices = kept.vertices;
    vertices.sort_unstable();
    vertices
}

/// Whether two triangles of the same vertices go round them the same way.
fn faces_alike(left: [u32; 3], [a, b, c]: [u32; 3]) -> bool {
    [[a, b, c], [b, c, a], [c, a, b]].contains(&left)
}
