//! What is no number is not drawn: a particle whose place is none stays where it was drawn last, in every view.

mod common;
#[path = "common/pictures.rs"]
mod pictures;
#[path = "common/places.rs"]
mod places;

use common::{Validated, load};
use pictures::{floating, view};
use tautline::engine::{Device, Frames};
use tautline::render::{Camera, Picture, Shown, View};
use tautline::solver::Simulation;

const EXTENT: [u32; 2] = [96, 72];
const VIEWS: [Shown; 7] =
    [Shown::Looks, Shown::Stretch, Shown::Levels, Shown::Contacts, Shown::Wireframe, Shown::Batches, Shown::Pins];

/// Runs a step, and keeps what is drawn after it.
fn step(device: &Device, simulation: &mut Simulation, view: &mut View) {
    Frames::run_once(device, |recorder| {
        simulation.record(recorder)?;
        view.keep(recorder, simulation)
    })
    .unwrap();
}

#[test]
fn particles_that_are_nowhere_stay_where_they_were_drawn_last() {
    let validated = Validated::open();
    let device = &validated.device;
    let ball = "[{shape = 'sphere', radius = 0.1, position = [0, -1, 0.02]}]";
    let springs = [("solver", "verlet"), ("allow_unstable", "true"), ("flexion_stiffness", "0")];
    for scene in [
        floating(9, &[("collider", ball)]),
        floating(9, &[("checker", "3")]),
        floating(9, &springs),
        load("ropes", &[("rope_count", "3")]),
    ] {
        let mut simulation = scene.simulation(device).unwrap();
        let camera = Camera::framing(&pictures::positions(&simulation), 4.0 / 3.0);
        let mut drawing = view(device, &simulation, Shown::Looks);
        step(device, &mut simulation, &mut drawing);
        let mut draw = |simulation: &Simulation, shown: Shown| {
            drawing.show(shown);
            Picture::draw(device, &drawing, simulation, &camera, EXTENT).unwrap().rgba
        };
        let wanted: Vec<_> = VIEWS.iter().map(|shown| draw(&simulation, *shown)).collect();
        // What is far away and can be drawn makes another picture.
        places::put(&simulation, 2, &[40, 41, 50], 0.5);
        assert!(draw(&simulation, Shown::Looks) != wanted[0], "{}: nothing is seen", scene.solver);
        for with in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
            places::put(&simulation, 2, &[40, 41, 50], with);
            for (shown, wanted) in VIEWS.iter().zip(&wanted) {
                assert!(draw(&simulation, *shown) == *wanted, "{} in {shown:?} with {with}", scene.solver);
            }
        }
    }
}
