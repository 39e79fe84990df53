//! What repetitions measured.

use serde::Serialize;

/// The median of repetitions, with the least and the greatest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub greatest: f64,
    /// In the order in which they ran.
    pub repetitions: Vec<f64>,
}

impl Spread {
    /// None of no repetitions.
    pub fn of(repetitions: Vec<f64>) -> Option<Self> {
        let median = median(&repetitions)?;
        let least = repetitions.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = repetitions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Self { median, least, greatest, repetitions })
    }
}

/// The value in the middle, or the mean of the two there; none of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}
