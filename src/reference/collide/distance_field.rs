//! Closed meshes: particles against signed distances on a grid.
//!
//! Between two crossings of planes of the grid a straight way is in one cell, where the distance along it is a cubic. Those
//! crossings are listed and sorted here, and the cubics' roots lie between their extrema, where the kernel walks from cell
//! to cell and halves the way.

use glam::{DVec3, UVec3, Vec3};

use super::{TOUCH, rub};
use crate::layout::Collider;

/// Touches of one way; the last of them stops it.
const MOST_TOUCHES: u32 = 4;

/// Steps out of the mesh for what is inside.
const MOST_PUSHES: u32 = 8;

/// A gradient less steep than this is none to go by: then a step outwards falls short rather than going astray.
const LEAST_SLOPE: f32 = 0.5;

/// A mesh in its own frame.
pub(super) struct DistanceField<'a> {
    least: Vec3,
    cell: f32,
    size: UVec3,
    distances: &'a [f32],
    friction: f32,
    touch: f32,
}

/// The corners of a cell, each with where it is in the cell, 0 or 1 along each axis, and its distance \[m\].
type Corners = [(DVec3, f32); 8];

impl<'a> DistanceField<'a> {
    /// The mesh that `collider` is, whose distances are among `samples`.
    pub(super) fn new(collider: &Collider, samples: &'a [f32]) -> Self {
        let size = collider.grid_size.extend(collider.grid_layers);
        let first = collider.first_sample as usize;
        Self {
            least: collider.grid_origin.truncate(),
            cell: collider.grid_origin.w,
            size,
            distances: &samples[first..first + size.element_product() as usize],
            friction: collider.friction,
            touch: TOUCH * collider.size.truncate().max_element(),
        }
    }

    /// Where a particle ends that went from `a` to `b`, and the unit normal of what it touched last; none where it
    /// touched nothing.
    pub(super) fn leave(&self, a: Vec3, b: Vec3) -> Option<(Vec3, Vec3)> {
        let mut normal = None;
        let mut end = b;
        let slide = |surface: Vec3, end: Vec3, normal: Vec3| {
            let depth = (surface - end).dot(normal).max(0.0);
            rub(self.friction, depth, normal, a, end + depth * normal)
        };
        let (start_distance, gradient) = self.at(a);
        if start_distance >= -self.touch {
            if start_distance <= self.touch && gradient.dot(b - a) < 0.0 {
                let (surface, outwards) = self.surface_near(a);
                normal = Some(outwards);
                end = slide(surface, end, outwards);
            }
            let mut at = a;
            for touches in 1..=MOST_TOUCHES {
                let Some(hit) = self.first_touch(at, end) else { break };
                let (surface, outwards) = self.surface_near(hit);
                normal = Some(outwards);
                at = surface;
                end = if touches == MOST_TOUCHES { surface } else { slide(surface, end, outwards) };
            }
        }
        for _ in 0..MOST_PUSHES {
            if self.at(end).0 >= 0.0 {
                break;
            }
            let (surface, outwards) = self.surface_near(end);
            end = if normal.is_none() { slide(surface, end, outwards) } else { surface };
            normal = normal.or(Some(outwards));
        }
        Some((end, normal?))
    }

    /// The place where the surface is, as seen from near it, and its normal.
    fn surface_near(&self, point: Vec3) -> (Vec3, Vec3) {
        let (distance, gradient) = self.at(point);
        let normal = gradient.try_normalize().unwrap_or(Vec3::Y);
        (point - distance / gradient.length().max(LEAST_SLOPE) * normal, normal)
    }

    /// The distance at a point and its gradient; outside of the grid, of the nearest point of its border and the way from
    /// there.
    pub(super) fn at(&self, point: Vec3) -> (f32, Vec3) {
        let within = point.clamp(self.least, self.least + (self.size - 1).as_vec3() * self.cell);
        let in_cells = (within - self.least) / self.cell;
        let cell = in_cells.as_uvec3().min(self.size - 2);
        let place = in_cells - cell.as_vec3();
        let (mut distance, mut gradient) = (0.0, Vec3::ZERO);
        for (corner, value) in self.corners(cell) {
            let corner = corner.as_vec3();
            // Along each axis the share of this corner, and how that grows.
            let share = (1.0 - corner) + place * (2.0 * corner - 1.0);
            let growth = 2.0 * corner - 1.0;
            distance += value * share.element_product();
            gradient += value * growth * Vec3::new(share.y * share.z, share.z * share.x, share.x * share.y);
        }
        match (point - within).try_normalize() {
            Some(outwards) => (distance + point.distance(within), outwards),
            None => (distance, gradient / self.cell),
        }
    }

    fn corners(&self, cell: UVec3) -> Corners {
        std::array::from_fn(|number| {
            let corner = UVec3::new(number as u32 % 2, number as u32 / 2 % 2, number as u32 / 4);
            let node = cell + corner;
            let index = (node.z * self.size.y + node.y) * self.size.x + node.x;
            (corner.as_dvec3(), self.distances[index as usize])
        })
    }

    /// Where a way from outside first comes to be deeper than `touch`.
    fn first_touch(&self, a: Vec3, b: Vec3) -> Option<Vec3> {
        let in_cells = |point: Vec3| (point - self.least).as_dvec3() / f64::from(self.cell);
        let (from, way) = (in_cells(a), in_cells(b) - in_cells(a));
        let cells = (self.size - 1).as_dvec3();
        for piece in crossings(from, way, cells).windows(2) {
            let [start, end] = [piece[0], piece[1]].map(|share| from + share * way);
            let middle = (start + end) / 2.0;
            if middle.clamp(DVec3::ZERO, cells) != middle {
                continue;
            }
            let cell = middle.floor().min(cells - 1.0);
            let corners = self.corners(cell.as_uvec3());
            if corners.iter().all(|(_, distance)| *distance >= -self.touch) {
                continue;
            }
            // At the ends and two places between, which a cubic is known by.
            let values = [0.0, 1.0, 2.0, 3.0].map(|third| {
                let place = start.lerp(end, third / 3.0) - cell;
                let share = |corner: DVec3| ((1.0 - corner) + place * (2.0 * corner - 1.0)).element_product();
                let distance: f64 = corners.iter().map(|(corner, value)| share(*corner) * f64::from(*value)).sum();
                distance + f64::from(self.touch)
            });
            if let Some(share) = first_below_zero(values) {
                return Some(a.lerp(b, (piece[0] + share * (piece[1] - piece[0])) as f32));
            }
        }
        None
    }
}

/// Shares of a way, in ascending order, at which it starts, ends, and crosses planes between cells; `from` and `way` are in
/// cells.
fn crossings(from: DVec3, way: DVec3, cells: DVec3) -> Vec<f64> {
    let mut shares = vec![0.0, 1.0];
    for axis in 0..3 {
        let (start, end) = (from[axis], from[axis] + way[axis]);
        let first = start.min(end).ceil().max(0.0) as u32;
        let last = start.max(end).floor().min(cells[axis]);
        let planes = (first..).map(f64::from).take_while(|plane| *plane <= last);
        shares.extend(planes.map(|plane| (plane - start) / way[axis]).filter(|share| (0.0..1.0).contains(share)));
    }
    shares.sort_by(f64::total_cmp);
    shares
}

/// The least argument from 0 to 1 at which a cubic is 0 or less, from what it is at 0, 1/3, 2/3 and 1.
fn first_below_zero([a, b, c, d]: [f64; 4]) -> Option<f64> {
    let linear = (-11.0 * a + 18.0 * b - 9.0 * c + 2.0 * d) / 2.0;
    let square = (18.0 * a - 45.0 * b + 36.0 * c - 9.0 * d) / 2.0;
    let cube = (-9.0 * a + 27.0 * b - 27.0 * c + 9.0 * d) / 2.0;
    let cubic = |at: f64| a + at * (linear + at * (square + at * cube));
    if a < 0.0 {
        return Some(0.0);
    }
    // Where it does not grow: 3 cube t² + 2 square t + linear = 0, by the form in which nothing cancels.
    let root = (square * square - 3.0 * cube * linear).max(0.0).sqrt();
    let large = -(square + root.copysign(square));
    let mut knots = [large / (3.0 * cube), linear / large, 1.0];
    knots[..2].sort_by(f64::total_cmp);
    let mut before = 0.0;
    for knot in knots.into_iter().filter(|knot| (0.0..=1.0).contains(knot)) {
        if cubic(knot) < 0.0 {
            let (mut above, mut below) = (before, knot);
            for _ in 0..52 {
                let middle = f64::midpoint(above, below);
                if cubic(middle) < 0.0 { below = middle } else { above = middle }
            }
            return Some(below);
        }
        before = knot;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_root_of_a_cubic_is_found() {
        let of = |roots: [f64; 3], sign: f64| {
            first_below_zero(
                [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|at| sign * roots.map(|root| at - root).iter().product::<f64>()),
            )
        };
        let close = |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?}");
        close(of([0.2, 0.5, 0.9], -1.0), 0.2);
        close(of([-0.5, 0.4, 0.45], 1.0), 0.4);
        close(of([-3.0, 0.7, 9.0], 1.0), 0.7);
        assert_eq!(of([0.2, 0.5, 0.9], 1.0), Some(0.0));
        assert_eq!(of([-0.1, 1.2, 1.3], 1.0), None);
        // A straight line, and what is the same everywhere.
        close(first_below_zero([1.0, 1.0 / 3.0, -1.0 / 3.0, -1.0]), 0.5);
        assert_eq!(first_below_zero([1.0; 4]), None);
    }
}
