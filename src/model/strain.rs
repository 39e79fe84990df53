use glam::Vec4;

use super::{Spring, SpringKind};

/// How far the structural springs of a cloth are stretched; 0.01 is 1 % longer than at rest.
///
/// A spring shorter than at rest counts as 0: cloth gives way to compression by folding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// Root mean square over all structural springs.
    pub rms: f64,
    /// The largest.
    pub max: f64,
}

/// Strain of the structural springs among `springs` at `positions` \[m\], shape \[particle_count\]; w is not read.
///
/// Without structural springs there is none. Where a position is NaN, so is the strain.
///
/// # Panics
///
/// Where a spring names a particle that `positions` lacks.
pub fn strain(positions: &[Vec4], springs: &[Spring]) -> Strain {
    let mut sum = 0.0;
    let mut count = 0_u64;
    let mut max = 0.0;
    for spring in springs.iter().filter(|spring| spring.kind == SpringKind::Structural) {
        let [a, b] = spring.particles.map(|particle| positions[particle as usize].truncate().as_dvec3());
        let change = a.distance(b) / f64::from(spring.rest_length) - 1.0;
        // f64::max would drop a NaN, which must show.
        let extension = if change < 0.0 { 0.0 } else { change };
        sum += extension * extension;
        count += 1;
        if extension > max || extension.is_nan() {
            max = extension;
        }
    }
    Strain { rms: if count == 0 { 0.0 } else { (sum / count as f64).sqrt() }, max }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spring(a: u32, b: u32, kind: SpringKind) -> Spring {
        Spring { particles: [a, b], rest_length: 2.0, kind }
    }

    /// On a line: 0 and 1 are 3 m apart (half as long again), 1 and 2 are 1 m apart (compressed).
    const POSITIONS: [Vec4; 3] = [Vec4::ZERO, Vec4::new(3.0, 0.0, 0.0, 9.0), Vec4::new(4.0, 0.0, 0.0, f32::NAN)];

    #[test]
    fn a_stretched_pair() {
        let springs = [spring(0, 1, SpringKind::Structural)];
        assert_eq!(strain(&POSITIONS, &springs), Strain { rms: 0.5, max: 0.5 });
    }

    #[test]
    fn compression_counts_as_nothing_and_other_kinds_not_at_all() {
        let springs = [
            spring(0, 1, SpringKind::Structural),
            spring(1, 2, SpringKind::Structural),
            spring(0, 2, SpringKind::Shear),
            spring(0, 2, SpringKind::Bending),
        ];
        assert_eq!(strain(&POSITIONS, &springs), Strain { rms: 0.125_f64.sqrt(), max: 0.5 });
    }

    #[test]
    fn no_springs_no_strain() {
        assert_eq!(strain(&POSITIONS, &[spring(0, 1, SpringKind::Shear)]), Strain { rms: 0.0, max: 0.0 });
    }

    #[test]
    fn a_lost_particle_shows() {
        let mut positions = POSITIONS;
        positions[0].y = f32::NAN;
        for springs in [[(0, 1), (1, 2)], [(1, 2), (0, 1)]] {
            let springs = springs.map(|(a, b)| spring(a, b, SpringKind::Structural));
            let strain = strain(&positions, &springs);
            assert!(strain.rms.is_nan() && strain.max.is_nan());
        }
    }
}
