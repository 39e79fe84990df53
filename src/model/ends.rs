use crate::layout::Constraint;

/// The ends of constraints at each particle: those of particle `i` are the second list's from the first list's `[i]` up
/// to its `[i + 1]`, each twice the constraint's index, plus 1 at its second particle, in ascending order.
pub fn ends_at_particles(particle_count: usize, constraints: &[Constraint]) -> (Vec<u32>, Vec<u32>) {
    places_of_particles(particle_count, constraints.iter().flat_map(Constraint::particles))
}

/// Where each particle is in a list: the places of particle `i` are the second list's from the first list's `[i]` up to its
/// `[i + 1]`, in ascending order.
pub(super) fn places_of_particles(
    particle_count: usize,
    list: impl Iterator<Item = u32> + Clone,
) -> (Vec<u32>, Vec<u32>) {
    let mut firsts = vec![0; particle_count + 1];
    for particle in list.clone() {
        firsts[particle as usize + 1] += 1;
    }
    for index in 0..particle_count {
        firsts[index + 1] += firsts[index];
    }
    let mut next = firsts.clone();
    let mut places = vec![0; firsts[particle_count] as usize];
    for (place, particle) in list.enumerate() {
        let next = &mut next[particle as usize];
        places[*next as usize] = place as u32;
        *next += 1;
    }
    (firsts, places)
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
