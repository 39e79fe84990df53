//! Puts particles where no solver has put them.

use glam::Vec4;
use tautline::solver::{Particles, Simulation};

/// Sets coordinate number `axis` of some particles, where they are now.
pub fn put(simulation: &Simulation, axis: usize, particles: &[u32], to: f32) {
    let moved = |mut places: Vec<Vec4>| {
        particles.iter().for_each(|&particle| places[particle as usize][axis] = to);
        places
    };
    match &simulation.particles()[simulation.current()] {
        Particles::Buffer(buffer) => buffer.write(&moved(buffer.read().unwrap())).unwrap(),
        Particles::Image(image) => image.write(&moved(image.read().unwrap())).unwrap(),
        Particles::Planes(planes) => {
            let mut floats: Vec<f32> = planes.read().unwrap();
            let size = floats.len() / 8;
            particles.iter().for_each(|&particle| floats[axis * size + particle as usize] = to);
            planes.write(&floats).unwrap();
        }
    }
}
