//! What tells one body from another, for states that are kept in files.

use bytemuck::{Pod, Zeroable};
use glam::Vec4;
use xxhash_rust::xxh3::Xxh3;

use super::Body;

/// Hashes of a body as it starts. What only solvers look at, as masses, pins and bending, makes no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Fingerprint {
    /// Of how many particles there are, and of the triangles or ropes that they make.
    pub shape: u64,
    /// Of where each particle starts, to the last bit.
    pub places: u64,
}

impl Body {
    /// What tells this body from others.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let mut shape = Xxh3::new();
        let mut count = |kind: u8, counts: &[u32]| {
            shape.update(&[kind]);
            shape.update(&(self.positions().len() as u64).to_le_bytes());
            shape.update(bytemuck::cast_slice(counts));
        };
        match self {
            Self::Cloth(cloth) => count(0, cloth.triangles.as_flattened()),
            Self::Ropes(ropes) => count(1, &ropes.ropes().iter().map(|rope| rope.particles.end).collect::<Vec<_>>()),
        }
        let mut places = Xxh3::new();
        let place = |position: &Vec4| position.truncate().to_array();
        self.positions().iter().map(place).for_each(|place| places.update(bytemuck::cast_slice(&place)));
        Fingerprint { shape: shape.digest(), places: places.digest() }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::{Cloth, Grid, GridPlane, RopeStart, Ropes};

    fn cloth(columns: u32, rows: u32, spacing: f32) -> Cloth {
        Cloth::from_grid(Grid { columns, rows, spacing }, GridPlane::Vertical, 1.0, false)
    }

    fn ropes(counts: &[usize]) -> Body {
        let start = |count: usize| RopeStart { positions: vec![Vec3::ZERO; count], length: count as f32 };
        let starts: Vec<_> = counts.iter().map(|&count| start(count)).collect();
        Body::Ropes(Ropes::new(&starts, Vec::new()).expect("ropes"))
    }

    #[test]
    fn bodies_differ_by_their_shape_and_by_where_they_start() {
        let print = |cloth: Cloth| Body::Cloth(cloth).fingerprint();
        let one = print(cloth(4, 3, 1.0));
        let mut pinned = cloth(4, 3, 1.0);
        pinned.pin([3]);
        pinned.add_hinges();
        assert_eq!(print(pinned), one);
        let turned = print(cloth(3, 4, 1.0));
        assert!(turned.shape != one.shape && turned.places != one.places);
        let larger = print(cloth(4, 3, 2.0));
        assert!(larger.shape == one.shape && larger.places != one.places);
    }

    #[test]
    fn ropes_differ_by_where_they_end() {
        let shape = |counts: &[usize]| ropes(counts).fingerprint().shape;
        let shapes = [shape(&[3, 4]), shape(&[4, 3]), shape(&[7]), shape(&[3, 5])];
        for (index, shape) in shapes.iter().enumerate() {
            assert!(!shapes[..index].contains(shape), "{index}");
        }
        assert_eq!(shape(&[3, 4]), shapes[0]);
    }
}
