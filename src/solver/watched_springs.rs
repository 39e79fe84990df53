//! The springs that a look goes over, and looks on the CPU.

use super::State;
use crate::cpu;
use crate::layout::{CollidePush, Collider, Constraint, Look};
use crate::model::{Body, Spring, SpringKind};

/// The springs of a body: all of them where they are constraints, and else the structural ones, for what others do is no error.
pub(super) struct WatchedSprings {
    /// As constraints without compliance, none of them cut. Shape \[spring_count\].
    pub(super) list: Vec<Constraint>,
    /// Which of them are structural. Shape \[spring_count\].
    pub(super) structural: Vec<bool>,
    /// What each of them is among the body's. Shape \[spring_count\], or empty where all are there.
    numbers: Vec<u32>,
}

impl WatchedSprings {
    /// Of a body whose springs `are_constraints`, or are not.
    pub(super) fn of(body: &Body, are_constraints: bool) -> Self {
        let is_structural = |spring: &Spring| spring.kind == SpringKind::Structural;
        let constraint = |spring: &Spring| {
            let [index_a, index_b] = spring.particles;
            Constraint { index_a, index_b, rest_length: spring.rest_length, compliance: 0.0 }
        };
        let has_all = are_constraints || body.springs().iter().all(is_structural);
        let watched = || body.springs().iter().zip(0..).filter(|(spring, _)| has_all || is_structural(spring));
        Self {
            list: watched().map(|(spring, _)| constraint(spring)).collect(),
            structural: watched().map(|(spring, _)| is_structural(spring)).collect(),
            numbers: if has_all { Vec::new() } else { watched().map(|(_, number)| number).collect() },
        }
    }

    /// A look at these springs, told of the body's.
    pub(super) fn numbered(&self, mut look: Look) -> Look {
        for spring in [&mut look.strain_spring, &mut look.error_spring] {
            *spring = self.numbers.get(*spring as usize).copied().unwrap_or(*spring);
        }
        look
    }

    /// What a look at `state` finds, on the CPU: among colliders that end the step where `seen` says, and with those springs that
    /// are `intact`, all where that is none.
    pub(super) fn look(
        &self,
        state: &State,
        intact: Option<&[bool]>,
        (seen, samples): (&[Collider], &[f32]),
        elongation: f32,
    ) -> Look {
        let push = CollidePush { start: 1.0, end: 1.0, collider_count: seen.len() as u32 };
        let moving = cpu::Colliders { list: seen, samples }.moving(&push);
        let cut = |(spring, intact): (&Constraint, &bool)| match intact {
            true => *spring,
            false => Constraint { index_b: spring.index_a, ..*spring },
        };
        let left = intact.map(|intact| self.list.iter().zip(intact).map(cut).collect::<Vec<_>>());
        let springs = left.as_ref().unwrap_or(&self.list);
        let State { positions, velocities, .. } = state;
        let look = cpu::look(positions, velocities, &moving, springs, &self.structural, elongation);
        self.numbered(look)
    }
}
