//! Hinges on the CPU; [`reference::hinge`](crate::reference::hinge) says what they compute.

use std::ops::Range;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::JOB;
use crate::layout::Hinge;
use crate::reference::hinge::project;

/// Hinges in batches that share no particle.
///
/// Threads find where a batch moves its particles, which is most of the work, and one then moves them.
#[derive(Clone, Default)]
pub(super) struct Bending {
    pub(super) hinges: Vec<Hinge>,
    pub(super) lambdas: Vec<f32>,
    batches: Vec<Range<u32>>,
    /// How far each hinge of a batch moves its particles; none where it does nothing.
    ways: Vec<Option<[Vec3; 4]>>,
}

impl Bending {
    pub(super) fn new(hinges: &[Hinge], batches: &[Range<u32>]) -> Self {
        let longest = batches.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        Self {
            hinges: hinges.to_vec(),
            lambdas: vec![0.0; hinges.len()],
            batches: batches.to_vec(),
            ways: vec![None; longest],
        }
    }

    pub(super) fn batch_count(&self) -> usize {
        self.batches.len()
    }

    /// Projects batch number `batch` in a substep of `substep_dt` \[s\]; lambda starts from 0 in iteration 0.
    pub(super) fn bend(&mut self, positions: &mut [Vec4], substep_dt: f32, batch: usize, iteration: u32) {
        let batch = self.batches[batch].start as usize..self.batches[batch].end as usize;
        let hinges = &self.hinges[batch.clone()];
        let work = hinges.par_iter().zip(&mut self.lambdas[batch]).zip(&mut self.ways);
        let at = |particle: u32| positions[particle as usize];
        // An angle takes as long as a few distances.
        work.with_min_len(JOB / 4).for_each(|((hinge, lambda), ways)| {
            if iteration == 0 {
                *lambda = 0.0;
            }
            *ways = project(hinge, hinge.particles.map(at), *lambda, substep_dt).map(|(ways, delta_lambda)| {
                *lambda += delta_lambda;
                ways
            });
        });
        for (hinge, ways) in hinges.iter().zip(&self.ways) {
            for (particle, way) in hinge.particles.into_iter().zip(ways.iter().flatten()) {
                positions[particle as usize] += way.extend(0.0);
            }
        }
    }
}
