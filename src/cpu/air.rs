//! The force of moving air on triangles; [`reference::air`](crate::reference::air) says what it computes.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::JOB;
use crate::layout::AirParameters;
use crate::reference::air;

/// The triangles around each particle, and the force on each of their corners.
pub struct Air {
    /// The triangles around particle `i`, in ascending order, are `around[first[i]..first[i + 1]]`.
    first: Vec<usize>,
    around: Vec<u32>,
    /// Of each triangle \[N\].
    shares: Vec<Vec3>,
}

impl Air {
    /// Prepares to blow on `triangles`.
    ///
    /// # Panics
    /// Where a triangle names a particle that is not there.
    #[must_use]
    pub fn new(particle_count: usize, triangles: &[[u32; 3]]) -> Self {
        let mut first = vec![0; particle_count + 1];
        triangles.as_flattened().iter().for_each(|&corner| first[corner as usize + 1] += 1);
        for index in 0..particle_count {
            first[index + 1] += first[index];
        }
        let (mut next, mut around) = (first.clone(), vec![0; 3 * triangles.len()]);
        for (number, triangle) in (0..).zip(triangles) {
            for &corner in triangle {
                around[next[corner as usize]] = number;
                next[corner as usize] += 1;
            }
        }
        Self { first, around, shares: vec![Vec3::ZERO; triangles.len()] }
    }

    /// Puts the force on each particle \[N\] into xyz of `forces`. Positions are xyz \[m\], shape \[particle_count\],
    /// `velocity` says how fast a particle goes \[m/s\], and `triangles` are as they were, but for cuts.
    ///
    /// # Panics
    /// Where there are not as many triangles, or not as many forces as particles.
    pub fn forces(
        &mut self,
        parameters: &AirParameters,
        triangles: &[[u32; 3]],
        positions: &[Vec4],
        velocity: impl Fn(usize) -> Vec3 + Sync,
        forces: &mut [Vec4],
    ) {
        assert_eq!((triangles.len(), forces.len() + 1), (self.shares.len(), self.first.len()));
        let shares = self.shares.par_iter_mut().zip(triangles).with_min_len(JOB);
        shares.for_each(|(share, triangle)| {
            let corners = triangle.map(|corner| corner as usize);
            let places = corners.map(|corner| positions[corner].truncate());
            *share = air::share(parameters, places, corners.map(&velocity));
        });
        let Self { first, around, shares } = self;
        let particles = forces.par_iter_mut().zip(first.par_windows(2)).with_min_len(JOB);
        particles.enumerate().for_each(|(index, (force, ends))| {
            let around = around[ends[0]..ends[1]].iter();
            let sum = around.fold(Vec4::ZERO, |force, &triangle| force + shares[triangle as usize].extend(0.0));
            *force = air::bounded(parameters, sum, positions[index], velocity(index));
        });
    }
}
