//! Dots and lines over what is drawn: pins, contacts, edges and batches, each where the camera sees it and nowhere
//! else.

mod common;
#[path = "common/pictures.rs"]
mod pictures;
#[path = "common/solids.rs"]
mod solids;

use std::collections::BTreeSet;

use common::{Validated, load, run, start};
use glam::{Vec2, Vec3};
use pictures::{Shot, encoded, floating, linear, positions, same, view};
use tautline::engine::{Device, Frames};
use tautline::model::{Blade, Body, Cloth};
use tautline::render::{PIN_COLORS, Shown, batch_color, reach};
use tautline::solver::Simulation;

const SIZE: [u32; 2] = [400, 300];
/// Large enough for lines that are several pixels wide, so that pixels in their middle are theirs alone.
const LARGE: [u32; 2] = [800, 600];

fn bytes(color: Vec3) -> [u8; 3] {
    encoded(color.as_dvec3().to_array())
}

fn cloth(simulation: &Simulation) -> &Cloth {
    match simulation.body() {
        Body::Cloth(cloth) => cloth,
        Body::Ropes(_) => panic!("no cloth"),
    }
}

/// A picture with lines of 4.5 pixels.
fn lines(device: &Device, simulation: &Simulation, shown: Shown) -> Shot {
    let mut view = view(device, simulation, shown);
    view.scale(3.0);
    Shot::of(device, simulation, &view, LARGE)
}

/// A third of the way along each constraint, where no other crosses it, with its batch.
fn constraints(simulation: &Simulation) -> Vec<(usize, [u32; 2], Vec3)> {
    let (cloth, positions) = (cloth(simulation), positions(simulation));
    let ranges = cloth.coloring.batches().iter().enumerate();
    let springs = ranges.flat_map(|(batch, range)| range.clone().map(move |index| (batch, index as usize)));
    let third = |(batch, index): (usize, usize)| {
        let [a, b] = cloth.springs[index].particles;
        (batch, [a, b], positions[a as usize].lerp(positions[b as usize], 1.0 / 3.0))
    };
    springs.map(third).collect()
}

/// A blade through the sheet below its middle row.
fn blade() -> Blade {
    Blade::plane(Vec3::new(0.0, -1.125, 0.0), Vec3::Y).unwrap()
}

/// Which constraints are in the colours of their batches, and the colours that are seen. Those against bending lie
/// below others and are looked for beside them.
fn seen_batches(device: &Device, simulation: &Simulation) -> (Vec<bool>, BTreeSet<[u8; 3]>) {
    let shot = lines(device, simulation, Shown::Batches);
    let positions = positions(simulation);
    let look = |(batch, [a, b], place): (usize, [u32; 2], Vec3)| {
        let [start, end] = [a, b].map(|particle| shot.place(positions[particle as usize]));
        let aside = if batch < 8 { 0.0 } else { 4.0 };
        let color = bytes(batch_color(batch));
        same(shot.color(shot.place(place) + aside * (end - start).perp().normalize()), color).then_some(color)
    };
    let seen: Vec<_> = constraints(simulation).into_iter().map(look).collect();
    (seen.iter().map(Option::is_some).collect(), seen.into_iter().flatten().collect())
}

#[test]
fn every_constraint_is_a_line_in_the_colour_of_its_batch_until_it_is_cut() {
    let validated = Validated::open();
    let device = &validated.device;
    for (bending, batches) in [("false", 8), ("true", 12)] {
        for on_cpu in [false, true] {
            let mut simulation = start(device, &floating(9, &[("bending", bending)]), on_cpu);
            let (seen, colors) = seen_batches(device, &simulation);
            assert_eq!(colors.len(), batches, "on the CPU: {on_cpu}");
            // Those against bending overlap each other.
            assert!(constraints(&simulation).iter().zip(seen).all(|((batch, ..), seen)| seen || *batch >= 8));

            assert!(simulation.cut(blade()).unwrap());
            run(device, &mut simulation, 1);
            let crosses = |[a, b]: [u32; 2]| a.min(b) < 5 * 9 && a.max(b) >= 5 * 9;
            let (seen, _) = seen_batches(device, &simulation);
            for ((batch, pair, _), seen) in constraints(&simulation).into_iter().zip(seen) {
                if batch < 8 {
                    assert_eq!(seen, !crosses(pair), "on the CPU: {on_cpu}, between particles {pair:?}");
                }
            }
        }
    }
}

#[test]
fn every_edge_of_a_triangle_is_a_dark_line_until_it_is_cut() {
    let validated = Validated::open();
    let device = &validated.device;
    for (solver, on_cpu) in [("xpbd", false), ("xpbd", true), ("verlet", false), ("mass-spring", false)] {
        let scene = floating(9, &[("solver", solver), ("allow_unstable", "true")]);
        let mut simulation = start(device, &scene, on_cpu);
        let is_dark = |shot: &Shot, place| shot.light(place).iter().all(|light| *light < 0.012);
        let check = |simulation: &Simulation, is_cut: bool| {
            let shot = lines(device, simulation, Shown::Wireframe);
            let positions = positions(simulation);
            for triangle in &cloth(simulation).triangles {
                let corners = triangle.map(|corner| positions[corner as usize]);
                let rows = triangle.map(|corner| corner / 9);
                let gone = |rows: &[u32]| is_cut && rows.contains(&4) && rows.contains(&5);
                for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                    let shown = is_dark(&shot, corners[a].midpoint(corners[b]));
                    assert_eq!(shown, !gone(&[rows[a], rows[b]]), "{solver}, {on_cpu}: edge of {triangle:?}");
                }
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                assert!(!is_dark(&shot, middle), "{solver}, {on_cpu}: within {triangle:?}");
            }
        };
        check(&simulation, false);
        if simulation.cut(blade()).unwrap() {
            run(device, &mut simulation, 1);
            check(&simulation, true);
        }
    }
}

/// The particles in the colour of pins, of those that stay and of those that are carried.
fn dots(shot: &Shot, simulation: &Simulation) -> [Vec<usize>; 2] {
    PIN_COLORS.map(|color| {
        let particles = positions(simulation).into_iter().enumerate();
        particles.filter(|(_, place)| same(shot.at(*place), bytes(color))).map(|(index, _)| index).collect()
    })
}

#[test]
fn pins_are_dots_of_a_size_in_points() {
    let validated = Validated::open();
    let device = &validated.device;
    for (solver, on_cpu) in [("xpbd", false), ("xpbd", true), ("verlet", false), ("mass-spring", false)] {
        let settings = [
            ("solver", solver),
            ("allow_unstable", "true"),
            ("pins", "[0, 4]"),
            ("pin", "[{particles = [12], path = [[0, 0, 0, 0], [9, 1, 0, 0]], release = 0.1}]"),
        ];
        let mut simulation = start(device, &floating(5, &settings), on_cpu);
        let shot = Shot::showing(device, &simulation, Shown::Pins, SIZE);
        assert_eq!(dots(&shot, &simulation), [vec![0, 4], vec![12]], "{solver}, on the CPU: {on_cpu}");
        run(device, &mut simulation, 10);
        let shot = Shot::showing(device, &simulation, Shown::Pins, SIZE);
        assert_eq!(dots(&shot, &simulation), [vec![0, 4], vec![]], "{solver}, on the CPU: {on_cpu}: let go");
    }
    // A dot is 8 points wide and fades for half a pixel more at either side: so many pixels and one, or up to one fewer
    // or more for where its middle lies in a pixel.
    let simulation = floating(5, &[("pins", "[12]")]).simulation(device).unwrap();
    let mut view = view(device, &simulation, Shown::Pins);
    for scale in [1.0, 2.0, 3.0] {
        view.scale(scale);
        for extent in [SIZE, [900, 200], [64, 64]] {
            let shot = Shot::of(device, &simulation, &view, extent);
            let without = Shot::showing(device, &simulation, Shown::Looks, extent);
            let row = shot.place(positions(&simulation)[12]).y;
            let differs = |x: &u32| {
                let place = Vec2::new(*x as f32, row);
                shot.color(place) != without.color(place)
            };
            let width = (0..extent[0]).filter(differs).count() as f32;
            assert!((width - 8.0 * scale - 1.0).abs() <= 1.0, "{width} pixels wide with {scale} pixels a point");
        }
    }
}

#[test]
fn ends_of_ropes_are_dots_while_they_are_held() {
    let validated = Validated::open();
    let device = &validated.device;
    let settings = [("rope_count", "2"), ("rope_columns", "2"), ("rope_particles", "9"), ("collider", "[]")];
    let shown = |more: &[(&str, &str)], steps| {
        let mut simulation = load("ropes", &[&settings, more].concat()).simulation(device).unwrap();
        run(device, &mut simulation, steps);
        dots(&Shot::showing(device, &simulation, Shown::Pins, SIZE), &simulation)
    };
    assert_eq!(shown(&[], 1), [vec![0, 8, 9, 17], vec![]]);
    assert_eq!(shown(&[("rope_held", "last")], 1), [vec![8, 17], vec![]]);
    let release = [("rope_motion", "[[0, 0, 0, 0], [1, 0, 0.1, 0]]"), ("rope_release", "0.1")];
    assert_eq!(shown(&release, 3), [vec![], vec![0, 8, 9, 17]]);
    assert_eq!(shown(&release, 9), [const { Vec::<usize>::new() }; 2]);
}

/// Those that hands have pinned are held as well, and those that hands have let go are not, whatever held them.
#[test]
fn dots_on_ropes_follow_hands() {
    let validated = Validated::open();
    let device = &validated.device;
    let settings = [
        ("rope_count", "2"),
        ("rope_columns", "2"),
        ("rope_particles", "9"),
        ("collider", "[]"),
        ("rope_motion", "[[0, 0, 0, 0], [1, 0, 0.1, 0]]"),
        ("rope_release", "0.1"),
    ];
    let scene = load("ropes", &settings);
    let shown = |simulation: &Simulation| dots(&Shot::showing(device, simulation, Shown::Pins, SIZE), simulation);
    for on_cpu in [false, true] {
        let mut simulation = start(device, &scene, on_cpu);
        run(device, &mut simulation, 1);
        assert_eq!(shown(&simulation), [vec![], vec![0, 8, 9, 17]], "on the CPU: {on_cpu}");
        // One in the middle, an end that stays where it is from now on, an end that is let go, and one that is let go
        // after all.
        for (particle, pinned) in [(4, true), (9, true), (8, false), (12, true), (12, false)] {
            simulation.set_pinned(particle, pinned);
        }
        let wanted = [vec![4, 9], vec![0, 17]];
        // Without a step, and after one.
        Frames::run_once(device, |recorder| simulation.record_hands(recorder)).unwrap();
        assert_eq!(shown(&simulation), wanted, "on the CPU: {on_cpu}");
        run(device, &mut simulation, 1);
        assert_eq!(shown(&simulation), wanted, "on the CPU: {on_cpu}");
        // On the other backend.
        let mut other = start(device, &scene, !on_cpu);
        other.go_on_from(&simulation.state().unwrap()).unwrap();
        run(device, &mut other, 1);
        assert_eq!(shown(&other), wanted, "from the CPU: {on_cpu}");
        // Those that are still anchored are let go at 0.1 s, which is the end of step 6.
        run(device, &mut simulation, 6);
        assert_eq!(shown(&simulation), [vec![4, 9], vec![]], "on the CPU: {on_cpu}");
        simulation.reset().unwrap();
        assert_eq!(shown(&simulation), [vec![], vec![0, 8, 9, 17]], "on the CPU: {on_cpu}");
    }
}

/// Signed distances from each shape, as geometry has them.
#[test]
fn contacts_are_dots_in_the_colour_of_their_distance() {
    type Distance = fn(Vec3) -> f32;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("slab.obj"), solids::obj(&solids::block(Vec3::new(4.5, 1.0, 4.5)))).unwrap();
    let shapes: [(&str, Distance); 6] = [
        ("shape = 'sphere', radius = 0.5, position = [0.1, -1, -0.4]", |place| {
            place.distance(Vec3::new(0.1, -1.0, -0.4)) - 0.5
        }),
        (
            "shape = 'capsule', radius = 0.3, length = 0.8, rotation = [0, 0, 1, 90], position = [0, -0.9, -0.2]",
            |place| {
                let axis = Vec3::new(place.x.clamp(-0.4, 0.4), -0.9, -0.2);
                place.distance(axis) - 0.3
            },
        ),
        ("shape = 'plane', position = [0, -1.4, 0]", |place| place.y + 1.4),
        ("shape = 'box', sides = [1, 0.6, 0.4], position = [0, -1, -0.25]", |place| {
            let beyond = (place - Vec3::new(0.0, -1.0, -0.25)).abs() - Vec3::new(0.5, 0.3, 0.2);
            beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
        }),
        ("shape = 'height-field', heights = [[1, 1], [1, 1]], sides = [9, 0.2, 9], position = [0, -1.2, 0]", |place| {
            place.y + 1.0
        }),
        // Its edges are far.
        ("shape = 'mesh', mesh = 'FOLDER/slab.obj', position = [0, -2, 0]", |place| place.y + 1.0),
    ];
    let validated = Validated::open();
    let device = &validated.device;
    // Held everywhere, so that they may be inside as well.
    let all = format!("{:?}", (0..81).collect::<Vec<u32>>());
    for (solver, on_cpu) in [("xpbd", false), ("xpbd", true), ("verlet", false)] {
        for (shape, distance) in shapes {
            let collider = format!("[{{{}}}]", shape.replace("FOLDER", folder.path().to_str().unwrap()));
            let settings = [("solver", solver), ("allow_unstable", "true"), ("pins", &*all), ("collider", &*collider)];
            let mut simulation = start(device, &floating(9, &settings), on_cpu);
            run(device, &mut simulation, 1);
            let shot = Shot::showing(device, &simulation, Shown::Contacts, SIZE);
            let reach = reach(simulation.body());
            assert!((reach - 0.25).abs() < 1e-6, "{reach}");
            let mut near = 0;
            for place in positions(&simulation) {
                let share = f64::from(distance(place) / reach);
                let middle = Vec3::new(0.0, -1.0, 0.0);
                let found = shot.at(place);
                if share >= 1.0 {
                    // Not on the edge of the sheet, but where a dot would still be.
                    let brightest = shot.light(place.lerp(middle, 0.012)).into_iter().fold(0.0, f64::max);
                    assert!(brightest < 0.05, "{shape}, {place}: {found:?} at {share}");
                    continue;
                }
                near += 1;
                let [below, on, above] = [[180, 4, 38], [221; 3], [59, 76, 192]].map(|color| color.map(linear));
                let end = if share < 0.0 { below } else { above };
                let light = [0, 1, 2].map(|channel| on[channel] + (end[channel] - on[channel]) * share.abs().min(1.0));
                assert!(
                    same(found, encoded(light)),
                    "{shape}, {place}: {found:?} at {share}, not {:?}",
                    encoded(light)
                );
            }
            assert!((1..81).contains(&near), "{shape}: {near} near it");
        }
    }
}
