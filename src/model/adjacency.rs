//! Which triangles lie around a particle.

/// The triangles around each particle `i`: the other two corners of each, in order, from `entries[entries[i]]` up to
/// `entries[entries[i + 1]]`.
///
/// # Panics
/// Where a triangle names a particle that is not there.
#[must_use]
pub fn triangles_around(particle_count: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut entries = vec![0_u32; particle_count + 1];
    for &corner in triangles.as_flattened() {
        entries[corner as usize + 1] += 2;
    }
    entries[0] = particle_count as u32 + 1;
    for index in 1..=particle_count {
        entries[index] += entries[index - 1];
    }
    let mut next = entries[..particle_count].to_vec();
    entries.resize(entries.len() + triangles.len() * 6, 0);
    for &[a, b, c] in triangles {
        for [corner, others @ ..] in [[a, b, c], [b, c, a], [c, a, b]] {
            let place = next[corner as usize] as usize;
            entries[place..place + 2].copy_from_slice(&others);
            next[corner as usize] += 2;
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_particle_has_the_other_corners_of_its_triangles() {
        // Five entries say where each particle's begin and end; particle 1 has none.
        assert_eq!(triangles_around(4, &[[0, 2, 3], [3, 2, 0]]), [5, 9, 9, 13, 17, 2, 3, 3, 2, 3, 0, 0, 3, 0, 2, 2, 0]);
    }
}
