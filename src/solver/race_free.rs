//! What batches have to be: invocations of one dispatch share no particle.

use std::ops::Range;

/// Panics where invocations of one dispatch would meet in one of the particles that they move, or leave their buffers.
pub(super) fn assert_race_free<const N: usize>(
    particle_count: usize,
    joined: impl Iterator<Item = [u32; N]>,
    batches: &[Range<u32>],
) {
    let joined: Vec<_> = joined.collect();
    let mut last_batch = vec![usize::MAX; particle_count];
    for (number, batch) in batches.iter().enumerate() {
        for index in joined[batch.start as usize..batch.end as usize].as_flattened() {
            assert_ne!(last_batch[*index as usize], number, "batch {number} names particle {index} twice");
            last_batch[*index as usize] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_may_share_particles_with_each_other_only() {
        assert_race_free(3, [[0, 1], [1, 2]].into_iter(), &[0..1, 1..2]);
    }

    #[test]
    #[should_panic(expected = "batch 0 names particle 1 twice")]
    fn a_batch_that_races_is_refused() {
        assert_race_free(3, [[0, 1], [1, 2]].into_iter(), std::slice::from_ref(&(0..2)));
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_particle_that_is_not_there_is_refused() {
        assert_race_free(2, [[0, 2]].into_iter(), std::slice::from_ref(&(0..1)));
    }
}
