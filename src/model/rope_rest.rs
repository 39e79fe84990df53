//! How ropes hang at rest, and how they sway about that.

use std::f32::consts::TAU;

use glam::{DVec2, DVec3, Vec3};

/// How close the span of a chain is to its length where it is taken to be straight, as a share of the length.
const TAUT: f64 = 1e-5;

/// How close the ends of a chain are to one vertical line where it is no longer looked for, as a share of its length.
const VERTICAL: f64 = 1e-3;

/// A rope at rest, and the motion that is baked for it: the whole of it turns to and fro about what holds it.
///
/// A turn changes no distance, so that the rope keeps its length and its anchors exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeRest {
    /// Its particles, seen from the first one that is held \[m\]. Shape \[particle_count\].
    pub offsets: Vec<Vec3>,
    /// What it turns about: a unit vector through the held end or ends.
    pub axis: Vec3,
    /// How often a second it turns to and fro, as the physical pendulum that it then is \[Hz\]; 0 where it is taut.
    pub frequency: f32,
}

impl RopeRest {
    /// The rest of a rope of `length` \[m\] with `particle_count` particles, its ends `held` there \[m\], under `gravity`
    /// \[m/s²\]; none where nothing holds it, nothing pulls it down, or it can hang in many ways.
    pub(super) fn new(held: [Option<Vec3>; 2], length: f32, particle_count: usize, gravity: Vec3) -> Option<Self> {
        let down = gravity.try_normalize()?;
        let along = |index: usize| length * index as f32 / (particle_count - 1) as f32;
        let (offsets, axis) = match held {
            [None, None] => return None,
            [Some(_), None] => ((0..particle_count).map(|index| along(index) * down).collect(), across(down)),
            [None, Some(_)] => ((0..particle_count).rev().map(|index| along(index) * down).collect(), across(down)),
            [Some(first), Some(last)] => {
                let span = last - first;
                (hanging_chain(span, length, particle_count, down)?, span.normalize())
            }
        };
        // Physical pendulum: omega² = g sum(r down) / sum(r²), r seen from the axis.
        let (mut torque, mut inertia) = (0.0, 0.0);
        for offset in &offsets {
            let radial = offset.reject_from_normalized(axis);
            torque += gravity.dot(radial);
            inertia += radial.length_squared();
        }
        let swings = inertia > (1e-3 * length).powi(2);
        let frequency = if swings { (torque / inertia).max(0.0).sqrt() / TAU } else { 0.0 };
        Some(Self { offsets, axis, frequency })
    }
}

/// A unit vector at right angles to a unit vector.
fn across(direction: Vec3) -> Vec3 {
    direction.any_orthonormal_vector()
}

/// The particles of a chain of rigid links, `length` \[m\] in all, that hangs from the origin to `span` \[m\]; each but the
/// ends weighs the same, and `down` is a unit vector. None where the span is longer than the chain, or vertical, or so close
/// to it that a link at the bottom would be pushed together rather than pulled.
///
/// The pull T along the links changes from one to the next by a particle's weight: T_j = (H, V + j) in units of that,
/// across and up, for link j. H and V are such that the links l T_j / |T_j| add up to the span, which makes them the
/// minimum of the convex function sum(l |T_j|) - (H, V) span. So the links' sum upwards grows with V, and once V fits, that
/// across grows with H: both are found by halving intervals.
pub(super) fn hanging_chain(span: Vec3, length: f32, particle_count: usize, down: Vec3) -> Option<Vec<Vec3>> {
    let (span, down, links) = (span.as_dvec3(), down.as_dvec3(), particle_count - 1);
    let level = span.reject_from_normalized(down);
    let link = f64::from(length) / links as f64;
    let (distance, length) = (span.length(), f64::from(length));
    if (distance - length).abs() <= TAUT * length {
        return Some((0..=links).map(|index| (span * (index as f64 / links as f64)).as_vec3()).collect());
    }
    if distance > length || level.length() < VERTICAL * length {
        return None;
    }
    let goal = DVec2::new(level.length(), -span.dot(down));
    let direction = |pull: DVec2, index: usize| (pull + DVec2::Y * index as f64).normalize();
    let reach = |pull: DVec2| (0..links).map(|index| link * direction(pull, index)).sum::<DVec2>();
    let weight = links as f64;
    let fitting = |across: f64| {
        // No farther than where all links but one hang down, or up, with a slope as steep as the chain is long.
        let most = weight + across / TAUT;
        DVec2::new(across, halved(-most, most, |up| reach(DVec2::new(across, up)).y < goal.y))
    };
    let exponent = halved(-30.0, 30.0, |exponent| reach(fitting(weight * exponent.exp())).x < goal.x);
    let pull = fitting(weight * exponent.exp());
    if reach(pull).distance(goal) > TAUT * length {
        return None;
    }
    let sideways = level.normalize();
    let mut place = DVec3::ZERO;
    let mut places = vec![Vec3::ZERO];
    for index in 0..links {
        let direction = direction(pull, index);
        place += link * (direction.x * sideways - direction.y * down);
        places.push(place.as_vec3());
    }
    Some(places)
}

/// The number from `low` to `high` up to which something `is_below`, by halving the interval.
fn halved(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..48 {
        let middle = (low + high) / 2.0;
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sags of chains of 63 links across 1 m, from the discrete catenary, in agreement with a = 0.469542 and 0.292344 m
    /// of the continuous one of 1.2 m (2 a sinh(d / 2 a) = L), and 0.502633 m of that of 1.5 m.
    #[test]
    fn a_chain_hangs_in_a_catenary() {
        for (length, sag) in [(1.2, 0.292285), (1.5, 0.502485)] {
            let places = hanging_chain(Vec3::X, length, 64, Vec3::NEG_Y).unwrap();
            let lowest = places.iter().map(|place| place.y).fold(0.0, f32::min);
            assert!((lowest + sag).abs() < 1e-5, "{lowest}, expected {sag}");
            assert!(places[63].distance(Vec3::X) < 1e-5);
            for pair in places.windows(2) {
                assert!((pair[0].distance(pair[1]) - length / 63.0).abs() < 1e-6);
            }
        }
    }

    /// Whatever the span: what pulls at each particle, by the angles of its links, is the weight of one.
    #[test]
    fn every_particle_of_a_chain_is_in_balance() {
        for span in [Vec3::new(0.3, 0.4, -0.5), Vec3::new(0.05, -0.9, 0.0), Vec3::new(0.1, 0.0, 0.0)] {
            let places = hanging_chain(span, 1.0, 18, Vec3::NEG_Y).unwrap();
            assert!(places[17].distance(span) < 1e-5, "{}", places[17]);
            let slopes: Vec<f64> = places
                .windows(2)
                .map(|pair| {
                    let link = (pair[1] - pair[0]).as_dvec3();
                    link.y / link.with_y(0.0).length()
                })
                .collect();
            // V_j / H rises by 1 / H from link to link.
            let rise = (slopes[16] - slopes[0]) / 16.0;
            // Places are rounded to 1.2e-7 m, against the width of a link, 1/17 m over the slope.
            let steepest = slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
            let tolerance = 4.0 * 17.0 * 1.2e-7 * (1.0 + steepest * steepest);
            for pair in slopes.windows(2) {
                assert!((pair[1] - pair[0] - rise).abs() < tolerance, "{span}: {pair:?}, {rise}");
            }
        }
    }

    #[test]
    fn what_cannot_hang_in_one_way_is_none() {
        let chain = |span| hanging_chain(span, 1.0, 8, Vec3::NEG_Y);
        assert_eq!(chain(Vec3::Y * 0.5), None);
        // The bottom link is as wide as that alone.
        assert_eq!(chain(Vec3::X * 0.1), None);
        assert_eq!(chain(Vec3::X * 1.1), None);
        assert_eq!(chain(Vec3::X).map(|places| places[7]), Some(Vec3::X));
        let gravity = Vec3::NEG_Y * 9.81;
        assert_eq!(RopeRest::new([None, None], 1.0, 8, gravity), None);
        assert_eq!(RopeRest::new([Some(Vec3::ZERO), None], 1.0, 8, Vec3::ZERO), None);
    }

    /// A uniform rod of length L about its end: T = 2 pi sqrt(2 L / 3 g). With n links of equal particles,
    /// sum(i) / sum(i²) = 3 / (2 n + 1).
    #[test]
    fn a_hanging_rope_sways_as_a_rod() {
        let rest = RopeRest::new([None, Some(Vec3::ONE)], 2.0, 64, Vec3::NEG_Y * 9.81).unwrap();
        let expected = (9.81 * 3.0 / (127.0 * 2.0 / 63.0_f32)).sqrt() / TAU;
        assert!((rest.frequency - expected).abs() < 1e-5, "{} Hz, expected {expected}", rest.frequency);
        assert_eq!(rest.offsets[63], Vec3::ZERO);
        assert!((rest.offsets[0] + 2.0 * Vec3::Y).length() < 1e-6 && rest.axis.y.abs() < 1e-6);
        let taut = RopeRest::new([Some(Vec3::ZERO), Some(Vec3::X)], 1.0, 64, Vec3::NEG_Y).unwrap();
        assert_eq!(taut.frequency, 0.0);
    }
}
