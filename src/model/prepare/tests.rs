use glam::Vec2;
use proptest::prelude::*;

use super::*;

const METRES: Preparation = Preparation { metres_per_unit: 1.0, up: UpAxis::Y, weld_share: WELD_SHARE };

/// Faces of one surface.
fn source(positions: Vec<Vec3>, faces: &[&[u32]]) -> SourceMesh {
    SourceMesh {
        surfaces: vec![0; positions.len()],
        face_sizes: faces.iter().map(|face| face.len() as u32).collect(),
        corners: faces.concat(),
        positions,
        ..SourceMesh::default()
    }
}

/// A sheet of `cells` by `cells` quads of 1 m in the xy plane, bulging along z; every second row of vertices is numbered from
/// the right, so that faces do not name them in order.
fn sheet(cells: u32) -> SourceMesh {
    let side = cells + 1;
    let place = |column: u32, row: u32| {
        let [x, y] = [column, row].map(|index| index as f32);
        Vec3::new(x, y, 0.1 * (x * x - 1.3 * y) / cells as f32)
    };
    let index = |column: u32, row: u32| row * side + if row % 2 == 1 { cells - column } else { column };
    let mut positions = vec![Vec3::ZERO; (side * side) as usize];
    let mut faces = Vec::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        positions[index(column, row) as usize] = place(column, row);
        if row < cells && column < cells {
            let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
            faces.push(corners.map(|(column, row)| index(column, row)));
        }
    }
    let faces: Vec<&[u32]> = faces.iter().map(|face| face.as_slice()).collect();
    source(positions, &faces)
}

/// The same with vertices of its own for each face, as flat shading has it.
fn flat_shaded(smooth: &SourceMesh) -> SourceMesh {
    SourceMesh {
        positions: smooth.corners.iter().map(|&vertex| smooth.positions[vertex as usize]).collect(),
        corners: (0..smooth.corners.len() as u32).collect(),
        surfaces: vec![0; smooth.corners.len()],
        ..smooth.clone()
    }
}

fn prepared(source: &SourceMesh) -> PreparedMesh {
    PreparedMesh::new(source, &METRES).expect("a sound mesh")
}

/// Places of the particles that `mesh` has several of.
fn welded_count(mesh: &PreparedMesh) -> usize {
    mesh.particles.len() - mesh.mesh.positions().len()
}

#[test]
fn flat_and_smooth_shading_are_one_mesh() {
    let mut smooth = sheet(6);
    smooth.uvs = Some((0..smooth.corners.len()).map(|corner| Vec2::new(corner as f32, 1.0)).collect());
    let flat = flat_shaded(&smooth);
    let [smooth_mesh, flat_mesh] = [&smooth, &flat].map(prepared);
    assert_eq!(smooth_mesh.mesh, flat_mesh.mesh);
    assert_eq!(smooth_mesh.mesh.positions().len(), 49);
    assert_eq!(flat_mesh.findings.welded.len(), 4 * 36 - 49);
    assert_eq!(smooth_mesh.findings, Findings::default());
    for (mesh, source) in [(&smooth_mesh, &smooth), (&flat_mesh, &flat)] {
        for (&particle, position) in mesh.particles.iter().zip(&source.positions) {
            assert_eq!(mesh.mesh.positions()[particle as usize], *position);
        }
        assert_eq!(mesh.faces, (0..36).flat_map(|face| [face, face]).collect::<Vec<u32>>());
    }
    // Texture coordinates stay with the corners, and v points down.
    assert_eq!(flat_mesh.mesh.uvs().expect("places")[3], [4.0, 6.0, 7.0].map(|u| Vec2::new(u, 0.0)));
}

#[test]
fn seams_close_within_a_distance_that_the_unit_does_not_change() {
    // Of two halves of a sheet, the one lies off by a share of the 6 m that it is long.
    for (off, welded) in [(0.0, 7), (6e-6, 7), (6e-3, 0)] {
        for unit in [1.0, 0.01, 0.001] {
            let mut halves = flat_shaded(&sheet(6));
            let smooth = sheet(6);
            // Left of x = 3 the vertices of the smooth sheet, right of it others.
            let is_right = |face: usize| face % 6 >= 3;
            halves.positions = [smooth.positions.clone(), smooth.positions].concat();
            halves.positions[49..].iter_mut().for_each(|position| position.x += off);
            halves.corners = smooth
                .corners
                .iter()
                .enumerate()
                .map(|(corner, &vertex)| if is_right(corner / 4) { vertex + 49 } else { vertex })
                .collect();
            halves.surfaces = vec![0; 98];
            halves.positions.iter_mut().for_each(|position| *position /= unit);
            let preparation = Preparation { metres_per_unit: unit, ..METRES };
            let mesh = PreparedMesh::new(&halves, &preparation).expect("a sound mesh");
            assert_eq!(mesh.findings.welded.len(), welded, "{off} m in units of {unit} m");
            // 28 vertices on either side, of which 7 are welded; 21 of each list are in no face.
            assert_eq!(mesh.mesh.positions().len(), 98 - welded);
        }
    }
}

#[test]
fn layers_and_separate_objects_stay_apart() {
    let one = sheet(3);
    let twice = |surface: u32| {
        let mut both = one.clone();
        both.positions.extend(&one.positions);
        both.corners.extend(one.corners.iter().map(|vertex| vertex + 16));
        both.face_sizes.extend(&one.face_sizes);
        both.surfaces = [vec![0; 16], vec![surface; 16]].concat();
        both
    };
    // The same sheet twice is two layers, and a third of its vertices on the other make none of it.
    assert_eq!(welded_count(&prepared(&twice(0))), 0);
    let mut bulge = twice(0);
    bulge.positions.iter_mut().skip(16).for_each(|position| position.z = -position.z);
    let touching = one.positions.iter().filter(|position| position.z == 0.0).count();
    assert_eq!(welded_count(&prepared(&bulge)), touching);
    let mut border = twice(0);
    for position in &mut border.positions[16..] {
        let is_inside = [position.x, position.y].iter().all(|side| (0.5..2.5).contains(side));
        position.z += if is_inside { 1.0 } else { 0.0 };
    }
    // A bag of two sheets that meet all around: its 12 vertices there become one each.
    assert_eq!(welded_count(&prepared(&border)), 12);
    border.surfaces[16..].fill(1);
    assert_eq!(welded_count(&prepared(&border)), 0);
}

#[test]
fn what_is_mended_is_told_by_the_files_numbers() {
    let positions = [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1], [9, 9], [3, 0]];
    let positions = positions.map(|[x, y]| Vec3::new(x as f32, y as f32, 0.0));
    let faces: &[&[u32]] = &[
        &[0, 1, 2, 3],
        &[1, 2, 5, 4], // faces the other way, as the next does
        &[4, 5, 7],
        &[0, 1, 1],    // no area: an edge
        &[0, 1, 4],    // no area: a line
        &[2, 3, 0, 1], // the first one again, from the opposite corner on, and so cut along the same diagonal
        &[7, 5, 4],    // the back of the third
    ];
    let mesh = prepared(&source(positions.to_vec(), faces));
    let expected = Findings {
        no_area: vec![3, 4],
        duplicates: vec![[5, 0]],
        opposites: vec![[6, 2]],
        // Two triangles face one way and three the other.
        turned: vec![0],
        isolated: vec![6],
        ..Findings::default()
    };
    assert_eq!(mesh.findings, expected);
    assert_eq!(mesh.findings.mended().len(), 5);
    assert_eq!(mesh.faces, [0, 0, 1, 1, 2]);
    // By first use: the turned triangles are 0, 2, 1 and 0, 3, 2.
    assert_eq!(mesh.particles, [0, 2, 1, 3, 5, 4, 7, 6]);
}

#[test]
fn axes_and_units_lead_there_and_back() {
    for up in [UpAxis::X, UpAxis::Y, UpAxis::Z] {
        let preparation = Preparation { metres_per_unit: 0.01, up, weld_share: 0.0 };
        let position = Vec3::new(12.5, -7.25, 150.0);
        assert!(preparation.source_position(preparation.place(position)).abs_diff_eq(position, 150.0 * f32::EPSILON));
        assert_eq!(preparation.place(Vec3::ZERO), Vec3::ZERO);
    }
    let of_z = Preparation { metres_per_unit: 1.0, up: UpAxis::Z, weld_share: 0.0 };
    assert_eq!(of_z.place(Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1.0, 3.0, -2.0));
}

#[test]
fn nothing_left_is_an_error_and_so_is_what_32_bits_cannot_hold() {
    let error = |source: &SourceMesh, metres_per_unit| {
        PreparedMesh::new(source, &Preparation { metres_per_unit, ..METRES }).expect_err("unsound").to_string()
    };
    let line = source((0..4).map(|x| Vec3::X * x as f32).collect(), &[&[0, 1, 2], &[1, 2, 3]]);
    assert!(error(&line, 1.0).starts_with("none of its faces has an area, 2 from face 0, for"));
    assert!(error(&source(vec![Vec3::ZERO], &[]), 1.0).starts_with("the mesh has no faces"));
    let far = SourceMesh { first_number: 1, ..source(vec![Vec3::X, Vec3::Y * 1e30, Vec3::Z], &[&[0, 1, 2]]) };
    assert!(error(&far, 1e9).starts_with("vertex 2 lies at (0, 1000000000000000000000000000000, 0), which scaled by"));
}

proptest! {
    #[test]
    fn no_mesh_makes_it_panic_or_lose_a_face(
        places in proptest::collection::vec((0..4_i8, 0..4_i8, 0..3_i8), 1..40),
        faces in proptest::collection::vec(proptest::collection::vec(any::<proptest::sample::Index>(), 3..6), 0..40),
        surfaces in 1..3_u32,
    ) {
        let positions: Vec<Vec3> =
            places.iter().map(|&(x, y, z)| Vec3::new(x.into(), y.into(), z.into())).collect();
        let faces: Vec<Vec<u32>> =
            faces.iter().map(|face| face.iter().map(|index| index.index(places.len()) as u32).collect()).collect();
        let mut mesh = source(positions, &faces.iter().map(Vec::as_slice).collect::<Vec<_>>());
        mesh.surfaces = (0..places.len() as u32).map(|vertex| vertex % surfaces).collect();
        let Ok(prepared) = PreparedMesh::new(&mesh, &METRES) else {
            return Ok(());
        };
        for (vertex, &particle) in prepared.particles.iter().enumerate() {
            prop_assert_eq!(prepared.mesh.positions()[particle as usize], mesh.positions[vertex]);
        }
        let Findings { no_area, duplicates, opposites, .. } = &prepared.findings;
        let mut seen: Vec<u32> = prepared.faces.iter().chain(no_area).copied().collect();
        seen.extend(duplicates.iter().chain(opposites).map(|pair| pair[0]));
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen, (0..faces.len() as u32).collect::<Vec<_>>());
        let mut triangles: Vec<[u32; 3]> = prepared.mesh.triangles().to_vec();
        for pair in around_edges(&sides(&triangles)).filter(|sides| sides.len() == 2) {
            prop_assert!(prepared.findings.one_sided.is_some() || pair[0].ascends != pair[1].ascends, "{:?}", pair);
        }
        triangles.iter_mut().for_each(|triangle| triangle.sort_unstable());
        triangles.sort_unstable();
        prop_assert!(triangles.windows(2).all(|pair| pair[0] != pair[1]), "a triangle is there twice");
    }
}
