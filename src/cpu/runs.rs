//! Constraints whose particles lie side by side in memory, so that those of four are read and written at once.
//!
//! Most constraints of a grid are so: they go from one particle to the next. Others gather their particles one by one.

use crate::layout::Constraint;

/// How the particles of constraints that follow each other lie in the list of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Anyhow.
    Loose,
    /// The first particles follow each other, and so do the second ones: columns and diagonals of a grid.
    Consecutive,
    /// First and second particles take turns: rows of a grid.
    Alternating,
}

/// Constraints of one batch that follow each other.
///
/// Unless they are loose, their number is a multiple of four, and they are alike in all but their particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) lanes: Lanes,
    pub(super) count: usize,
}

impl Lanes {
    /// Of a constraint and the next one.
    fn of(one: &Constraint, next: &Constraint) -> Self {
        let properties = |of: &Constraint| [of.rest_length, of.compliance].map(f32::to_bits);
        let ways = [next.index_a.wrapping_sub(one.index_a), next.index_b.wrapping_sub(one.index_b)];
        match ways {
            _ if properties(one) != properties(next) || is_cut(one) => Self::Loose,
            [1, 1] => Self::Consecutive,
            [2, 2] if one.index_b.wrapping_sub(one.index_a) == 1 => Self::Alternating,
            _ => Self::Loose,
        }
    }
}

impl Run {
    /// What the constraints of a batch with these `indices` start with.
    fn first(constraints: &[Constraint], indices: &[u32]) -> Self {
        let lanes_of = |pair: &[u32]| Lanes::of(&constraints[pair[0] as usize], &constraints[pair[1] as usize]);
        let mut pairs = indices.windows(2).map(lanes_of);
        let alone = Self { lanes: Lanes::Loose, count: 1 };
        match pairs.next() {
            None | Some(Lanes::Loose) => alone,
            Some(lanes) => match (2 + pairs.take_while(|next| *next == lanes).count()) / 4 * 4 {
                0 => alone,
                count => Self { lanes, count },
            },
        }
    }

    /// Puts the constraints of a batch with these `indices` in the order of their runs, the loose ones last.
    pub(super) fn sort(constraints: &[Constraint], indices: &mut [u32]) -> Vec<Self> {
        let (mut runs, mut sorted, mut loose) = (Vec::new(), Vec::with_capacity(indices.len()), Vec::new());
        let mut rest = &*indices;
        while !rest.is_empty() {
            let run = Self::first(constraints, rest);
            let (own, others) = rest.split_at(run.count);
            if run.lanes == Lanes::Loose {
                loose.extend(own);
            } else {
                runs.push(run);
                sorted.extend(own);
            }
            rest = others;
        }
        if !loose.is_empty() {
            runs.push(Self { lanes: Lanes::Loose, count: loose.len() });
        }
        sorted.append(&mut loose);
        indices.copy_from_slice(&sorted);
        runs
    }

    /// The same `constraints` in runs, of which those with cut ones are loose.
    pub(super) fn around_cuts(self, constraints: &[Constraint]) -> Vec<Self> {
        if self.lanes == Lanes::Loose {
            return vec![self];
        }
        let has_cut = |four: &[Constraint; 4]| four.iter().any(is_cut);
        let groups = constraints.as_chunks::<4>().0.chunk_by(|one, next| has_cut(one) == has_cut(next));
        let lanes = |four| if has_cut(four) { Lanes::Loose } else { self.lanes };
        groups.map(|fours| Self { lanes: lanes(&fours[0]), count: 4 * fours.len() }).collect()
    }
}

fn is_cut(constraint: &Constraint) -> bool {
    constraint.index_a == constraint.index_b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraints(ends: &[(u32, u32)]) -> Vec<Constraint> {
        ends.iter().map(|&(index_a, index_b)| Constraint { index_a, index_b, ..Default::default() }).collect()
    }

    fn run(lanes: Lanes, count: usize) -> Run {
        Run { lanes, count }
    }

    #[test]
    fn neighbours_are_in_runs_of_fours_and_what_is_left_comes_last() {
        // Six that follow each other, five that take turns, one backwards.
        let mut ends: Vec<_> = (0..6).map(|index| (index, 50 + index)).collect();
        ends.extend((0..5).map(|index| (10 + 2 * index, 11 + 2 * index)));
        ends.push((41, 40));
        let mut order: Vec<u32> = (0..12).collect();
        let runs = Run::sort(&constraints(&ends), &mut order);
        let expected = [run(Lanes::Consecutive, 4), run(Lanes::Alternating, 4), run(Lanes::Loose, 4)];
        assert_eq!(runs, expected);
        assert_eq!(order, [0, 1, 2, 3, 6, 7, 8, 9, 4, 5, 10, 11]);
        assert!(Run::sort(&[], &mut []).is_empty());
    }

    #[test]
    fn a_run_ends_where_a_constraint_is_of_another_kind_or_is_cut() {
        let alike = constraints(&(0..8).map(|index| (index, 20 + index)).collect::<Vec<_>>());
        let runs = |change: fn(&mut Constraint)| {
            let mut constraints = alike.clone();
            change(&mut constraints[4]);
            Run::sort(&constraints, &mut (0..8).collect::<Vec<u32>>())
        };
        assert_eq!(runs(|_| ()), [run(Lanes::Consecutive, 8)]);
        let halves = [run(Lanes::Consecutive, 4), run(Lanes::Loose, 4)];
        assert_eq!(runs(|constraint| constraint.rest_length = 1.0), halves);
        assert_eq!(runs(|constraint| constraint.compliance = -0.0), halves);
        assert_eq!(runs(|constraint| constraint.index_b = 4), halves);
        let cut = constraints(&(0..8).map(|index| (index, index)).collect::<Vec<_>>());
        assert_eq!(Run::sort(&cut, &mut (0..8).collect::<Vec<u32>>()), [run(Lanes::Loose, 8)]);
    }

    #[test]
    fn fours_with_cuts_are_loose_from_then_on() {
        let mut alike = constraints(&(0..16).map(|index| (2 * index, 2 * index + 1)).collect::<Vec<_>>());
        let whole = run(Lanes::Alternating, 16);
        assert_eq!(whole.around_cuts(&alike), [whole]);
        alike[5].index_b = 10;
        alike[8].index_b = 16;
        let parts = [run(Lanes::Alternating, 4), run(Lanes::Loose, 8), run(Lanes::Alternating, 4)];
        assert_eq!(whole.around_cuts(&alike), parts);
        assert_eq!(run(Lanes::Loose, 3).around_cuts(&alike[..3]), [run(Lanes::Loose, 3)]);
    }
}
