//! Forces on the particles of a grid, four in a row at a time.

use glam::{IVec2, Vec3, Vec4};

use super::JOB;
use super::quad::Quad;

/// Rows of a grid that one thread takes at a time.
pub(super) fn rows_of_job(columns: usize) -> usize {
    JOB.div_ceil(columns.max(1))
}

/// Goes through the particles of one row and gives `take` the index of each and the force on it \[N\].
///
/// Springs reach `reach` particles each way. Where all of these are there, `of_four` computes the forces on the particle
/// with the index given and on the three after it; near a border `of_one` does, of a particle.
pub(super) fn for_each_force(
    size: IVec2,
    row: usize,
    reach: i32,
    of_one: impl Fn(IVec2) -> Vec3,
    of_four: impl Fn(usize) -> [Vec3; 4],
    mut take: impl FnMut(usize, Vec3),
) {
    let (row, first) = (row as i32, row * size.x as usize);
    let row_is_inner = (reach..size.y - reach).contains(&row);
    let mut column = 0;
    while column < size.x {
        let index = first + column as usize;
        if row_is_inner && column >= reach && column + 3 < size.x - reach {
            for (index, force) in (index..).zip(of_four(index)) {
                take(index, force);
            }
            column += 4;
        } else {
            take(index, of_one(IVec2::new(column, row)));
            column += 1;
        }
    }
}

/// xyz of the particle with index `index` and of the three after it.
#[inline(always)]
pub(super) fn four_at(particles: &[Vec4], index: usize) -> Quad {
    let particles = &particles[index..index + 4];
    Quad::of(std::array::from_fn(|lane| particles[lane])).0
}

/// `index` and the way from there to `offset` columns and rows further.
pub(super) fn shifted(size: IVec2, index: usize, offset: IVec2) -> usize {
    index.wrapping_add_signed((offset.y * size.x + offset.x) as isize)
}
