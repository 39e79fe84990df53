//! The value `heights` of a table: the terrain's shape, in rows of numbers or in an image.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::{Wrong, shortened};
use crate::io::{HeightSamples, MOST_HEIGHT_ROWS};

/// Shares of a height field's greatest height. Rows follow each other along z, and the numbers in a row along x.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Heights {
    /// `[[0, 0.5], [1, 0]]`, at least two rows of at least two numbers each, all of a length.
    Rows(Vec<Vec<f32>>),
    /// A grey PNG image of 8 or 16 bits, relative to the scene file: black is 0, white is 1, and its top row has the
    /// least z.
    Image(PathBuf),
}

/// What [`Heights::Rows`] hold.
pub(super) fn samples(rows: &[Vec<f32>]) -> Result<HeightSamples, Wrong> {
    let expected =
        format!("2 to {MOST_HEIGHT_ROWS} rows of as many numbers, all of a length and each from -1000 to 1000");
    let wrong = |found: String| Err(("heights", expected, found));
    let columns = rows.first().map_or(0, Vec::len);
    let most = MOST_HEIGHT_ROWS as usize;
    if !(2..=most).contains(&rows.len()) || !(2..=most).contains(&columns) {
        return wrong(format!("{} rows of {columns}", rows.len()));
    }
    if let Some(row) = rows.iter().find(|row| row.len() != columns) {
        return wrong(format!("a row of {columns} and one of {}", row.len()));
    }
    let is_sound = |number: &f32| number.abs() <= 1e3;
    match rows.iter().find(|row| !row.iter().all(is_sound)) {
        Some(row) => wrong(shortened(&format!("{row:?}"))),
        None => Ok(HeightSamples { columns: columns as u32, values: rows.concat() }),
    }
}
