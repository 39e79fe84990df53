//! What bounds the stretch of a cloth; [`reference::limit`](crate::reference::limit) says what it computes.

use glam::Vec4;
use rayon::prelude::*;

use super::JOB;
use crate::layout::{Constraint, LongLinkPush, LongRange, LongRangePush, PbdParameters, StrainLimitPush};
use crate::reference::limit::{self, Links};

/// What the limits of one cloth know of it, and where its particles go between two iterations.
#[derive(Clone, Default)]
pub(super) struct Limits {
    pub(super) ranges: Vec<LongRange>,
    pub(super) long_links: Vec<LongRange>,
    /// As [`links_at_particles`](crate::model::links_at_particles) gives them.
    pub(super) first_links: Vec<u32>,
    pub(super) links: Vec<u32>,
    ways: Vec<f32>,
    other_positions: Vec<Vec4>,
}

impl Limits {
    /// As the twin's.
    pub(super) fn long_range(
        &mut self,
        parameters: &PbdParameters,
        push: &LongRangePush,
        previous_positions: &[Vec4],
        positions: &mut Vec<Vec4>,
    ) {
        self.ways.resize(positions.len(), 0.0);
        self.other_positions.resize(positions.len(), Vec4::ZERO);
        let particles = positions.par_iter().zip(previous_positions).zip(&self.ranges);
        let targets = self.other_positions.par_iter_mut().zip(&mut self.ways);
        particles.zip(targets).with_min_len(JOB).for_each(|(((position, previous), range), (target, way))| {
            *target = limit::within_reach(parameters, push, range, positions, *position);
            *way = limit::way(*target, *previous).length();
        });
        std::mem::swap(positions, &mut self.other_positions);
    }

    /// As the twin's.
    pub(super) fn long_link(&mut self, parameters: &PbdParameters, push: &LongLinkPush, positions: &mut Vec<Vec4>) {
        let particles = self.other_positions.par_iter_mut().enumerate().with_min_len(JOB);
        particles.for_each(|(index, other)| {
            *other = limit::below(parameters, push, &self.long_links, positions, index);
        });
        std::mem::swap(positions, &mut self.other_positions);
    }

    /// As the twin's.
    pub(super) fn strain(
        &mut self,
        parameters: &PbdParameters,
        push: &StrainLimitPush,
        constraints: &[Constraint],
        positions: &mut Vec<Vec4>,
    ) -> bool {
        let links = Links { firsts: &self.first_links, links: &self.links };
        let particles = self.other_positions.par_iter_mut().enumerate().with_min_len(JOB);
        let moved = particles.map(|(index, other)| {
            let (place, is_too_long) = limit::limited(parameters, push, constraints, links, positions, (index, *other));
            *other = place;
            is_too_long
        });
        let is_too_long = moved.reduce(|| false, |one, other| one | other);
        std::mem::swap(positions, &mut self.other_positions);
        is_too_long
    }

    /// As the twin's.
    pub(super) fn velocity(
        &self,
        parameters: &PbdParameters,
        previous_positions: &[Vec4],
        positions: &[Vec4],
        velocities: &mut [Vec4],
    ) {
        let particles = positions.par_iter().zip(previous_positions).zip(&self.ways).zip(velocities);
        particles.with_min_len(JOB).for_each(|(((position, previous), most), velocity)| {
            *velocity = limit::no_faster(parameters, *previous, *position, *most);
        });
    }
}
