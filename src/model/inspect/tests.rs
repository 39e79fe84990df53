use std::f64::consts::PI;

use glam::Vec3;
use proptest::prelude::*;

use super::*;
use crate::model::{Preparation, SourceMesh, UpAxis, WELD_SHARE};

const METRES: Preparation = Preparation { metres_per_unit: 1.0, up: UpAxis::Y, weld_share: WELD_SHARE };

fn prepared(positions: Vec<Vec3>, faces: &[&[u32]]) -> PreparedMesh {
    let source = SourceMesh {
        surfaces: vec![0; positions.len()],
        face_sizes: faces.iter().map(|face| face.len() as u32).collect(),
        corners: faces.concat(),
        positions,
        ..SourceMesh::default()
    };
    PreparedMesh::new(&source, &METRES).expect("a sound mesh")
}

fn inspected(positions: &[[f32; 3]], faces: &[&[u32]]) -> Inspection {
    Inspection::new(&prepared(positions.iter().copied().map(Vec3::from).collect(), faces))
}

/// A tube of radius 1 and height 1 with 64 sides, and vertices numbered from above.
fn tube() -> PreparedMesh {
    let ring = |y: f32| {
        (0..64)
            .map(move |side| (f64::from(side) * PI / 32.0).sin_cos())
            .map(move |(sin, cos)| Vec3::new(cos as f32, y, sin as f32))
    };
    let quads: Vec<[u32; 4]> = (0..64).map(|side| [side + 64, side, (side + 1) % 64, 64 + (side + 1) % 64]).collect();
    let faces: Vec<&[u32]> = quads.iter().map(|quad| quad.as_slice()).collect();
    prepared(ring(1.0).chain(ring(0.0)).collect(), &faces)
}

#[test]
fn a_tube_has_two_borders() {
    let inspection = Inspection::new(&tube());
    let side = 2.0 * (PI / 64.0).sin();
    assert_eq!(inspection.components, [0]);
    let mut borders = inspection.borders.clone();
    borders.sort_by_key(|border| border.vertex);
    assert_eq!(
        borders.iter().map(|border| (border.vertex, border.edge_count)).collect::<Vec<_>>(),
        [(0, 64), (64, 64)]
    );
    for border in borders {
        assert!((border.length - 64.0 * side).abs() < 1e-5, "{border:?}");
    }
    assert!((inspection.area - 64.0 * side).abs() < 1e-5);
    let [shortest, mean, longest] = inspection.edge_lengths;
    let diagonal = side.hypot(1.0);
    for (found, expected) in [(shortest, side), (mean, (side + 1.0 + diagonal) / 3.0), (longest, diagonal)] {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }
    assert_eq!((inspection.intersections.count, inspection.t_junctions.len()), (0, 0));
    // Each triangle has a height of nearly `side` over an edge of 1 m.
    assert_eq!(inspection.slivers.len(), 0);
}

#[test]
fn two_triangles_go_through_each_other_or_touch_or_miss() {
    let fixed = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let count = |other: [[f32; 3]; 3]| {
        let places: Vec<[f32; 3]> = fixed.into_iter().chain(other).collect();
        let Intersections { count, faces } = inspected(&places, &[&[0, 1, 2], &[3, 4, 5]]).intersections;
        assert_eq!(faces.len() as u64, count);
        count
    };
    // Through the middle, by an edge of one; by an edge of the other; standing on it; above it; beside it; in its plane.
    assert_eq!(count([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]]), 1);
    assert_eq!(count([[-1.0, 1.0, -1.0], [9.0, 1.0, -1.0], [1.0, 1.0, 9.0]]), 1);
    assert_eq!(count([[1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]), 0);
    assert_eq!(count([[1.0, 1.0, 1e-6], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]), 0);
    assert_eq!(count([[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [5.0, 5.0, 0.0]]), 0);
    assert_eq!(count([[0.5, 0.5, 0.0], [1.5, 0.5, 0.0], [0.5, 1.5, 0.0]]), 0);
}

#[test]
fn neighbours_do_not_go_through_each_other_unless_they_do() {
    // A fan whose last triangle is bent back through the first: they share the middle alone.
    let places =
        [[0.0, 0.0, 0.0], [2.0, -1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [2.0, 0.0, -1.0]];
    let through = inspected(&places, &[&[0, 1, 2], &[0, 2, 3], &[0, 4, 5]]).intersections;
    assert_eq!((through.count, through.faces), (1, vec![[0, 2]]));
    let folded = inspected(&places, &[&[0, 1, 2], &[0, 2, 3], &[0, 3, 4]]).intersections;
    assert_eq!(folded.count, 0);
}

#[test]
fn a_vertex_on_an_edge_that_it_does_not_end_is_found() {
    // Below a long edge two short ones, whose common end lies on it.
    let places =
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.5, -1.0, 0.0], [1.5, -1.0, 0.0]];
    let faces: &[&[u32]] = &[&[0, 1, 2], &[0, 4, 3], &[3, 5, 1], &[4, 5, 3]];
    assert_eq!(inspected(&places, faces).t_junctions, [TJunction { vertex: 3, edge: [0, 1] }]);
    let mut off = places;
    off[3][1] = -0.01;
    assert_eq!(inspected(&off, faces).t_junctions, []);
}

#[test]
fn slivers_and_pieces_are_named_by_the_files_numbers() {
    let places = [
        [9.0, 9.0, 0.0],
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.5, 0.019, 0.0],
        [5.0, 0.0, 0.0],
        [6.0, 0.0, 0.0],
        [5.5, 0.021, 0.0],
    ];
    let inspection = inspected(&places, &[&[6, 4, 5], &[3, 1, 2]]);
    assert_eq!(inspection.slivers, [1]);
    assert_eq!(inspection.components, [1, 4]);
}

proptest! {
    /// A plane through a closed surface of two rings: where it lies says whether it goes through, whatever the shape is.
    #[test]
    fn a_plane_goes_through_a_tube_where_it_lies(height in -0.5..1.5_f32, turn in 0.0..6.0_f32) {
        let tube = tube();
        let mut places = tube.mesh.positions().to_vec();
        let count = places.len() as u32;
        places.extend((0..3).map(|corner| {
            let (sin, cos) = (turn + corner as f32 * std::f32::consts::TAU / 3.0).sin_cos();
            Vec3::new(10.0 * cos, height, 10.0 * sin)
        }));
        let mut triangles = tube.mesh.triangles().to_vec();
        triangles.push([count, count + 1, count + 2]);
        let faces: Vec<&[u32]> = triangles.iter().map(|triangle| triangle.as_slice()).collect();
        let found = Inspection::new(&prepared(places, &faces)).intersections.count;
        // Each of the 128 triangles between the rings reaches from the lower one to the upper one.
        prop_assert_eq!(found, if height > 0.0 && height < 1.0 { 128 } else { 0 });
    }
}
