use crate::layout::Constraint;

/// The ends of constraints at each particle: those of particle `i` are the second list's from the first list's `[i]` up
/// to its `[i + 1]`, each twice the constraint's index, plus 1 at its second particle, in ascending order.
pub fn ends_at_particles(particle_count: usize, constraints: &[Constraint]) -> (Vec<u32>, Vec<u32>) {
    let particles = || constraints.iter().flat_map(|constraint| [constraint.index_a, constraint.index_b]);
    let mut first_ends = vec![0; particle_count + 1];
    for particle in particles() {
        first_ends[particle as usize + 1] += 1;
    }
    for index in 0..particle_count {
        first_ends[index + 1] += first_ends[index];
    }
    let mut next = first_ends.clone();
    let mut ends = vec![0; 2 * constraints.len()];
    for (end, particle) in particles().enumerate() {
        let next = &mut next[particle as usize];
        ends[*next as usize] = end as u32;
        *next += 1;
    }
    (first_ends, ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_particle_has_the_ends_of_its_constraints() {
        let constraint = |index_a, index_b| Constraint { index_a, index_b, ..Default::default() };
        let constraints = [constraint(0, 1), constraint(3, 1), constraint(1, 0)];
        assert_eq!(ends_at_particles(4, &constraints), (vec![0, 2, 5, 5, 6], vec![0, 5, 1, 3, 4, 2]));
    }
}
