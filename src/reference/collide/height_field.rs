//! Terrains: particles against heights on a grid.
//!
//! A cell is two triangles, halved from its corner of least x and z to the one of greatest. Between two crossings of
//! lines of the grid and of these diagonals a straight way is over one triangle, from whose plane its distance is linear.
//! Those crossings are listed and sorted here, where the kernel walks from cell to cell.

use glam::{UVec2, Vec2, Vec3, Vec3Swizzles, Vec4Swizzles};

use super::{TOUCH, rub};
use crate::layout::Collider;

/// Touches of one way; the last of them stops it.
const MOST_TOUCHES: u32 = 4;

/// A height field in its own frame.
pub(super) struct HeightField<'a> {
    half_sides: Vec2,
    highest: f32,
    grid_size: UVec2,
    heights: &'a [f32],
    friction: f32,
}

/// A plane through the corners of a triangle: `height + slope · (xz - corner)`.
struct Plane {
    corner: Vec2,
    height: f32,
    slope: Vec2,
}

impl Plane {
    fn height_at(&self, place: Vec2) -> f32 {
        self.height + self.slope.dot(place - self.corner)
    }

    fn normal(&self) -> Vec3 {
        Vec3::new(-self.slope.x, 1.0, -self.slope.y).normalize()
    }

    /// Signed distance, negative below.
    fn distance(&self, point: Vec3) -> f32 {
        (point.y - self.height_at(point.xz())) * self.normal().y
    }
}

impl<'a> HeightField<'a> {
    /// The height field that `collider` is, whose heights are among `samples`.
    pub(super) fn new(collider: &Collider, samples: &'a [f32]) -> Self {
        let first = collider.first_sample as usize;
        Self {
            half_sides: collider.size.xz(),
            highest: collider.size.y,
            grid_size: collider.grid_size,
            heights: &samples[first..first + collider.grid_size.element_product() as usize],
            friction: collider.friction,
        }
    }

    /// Where a particle ends that went from `a` to `b`, and the unit normal of what it touched last; none where it
    /// touched nothing.
    pub(super) fn leave(&self, a: Vec3, b: Vec3) -> Option<(Vec3, Vec3)> {
        let touch = TOUCH * self.half_sides.max_element().max(self.highest);
        let mut normal = None;
        let mut end = b;
        // Brings the end back to the surface that was touched at `at`.
        let slide = |at: Vec3, end: Vec3, normal: Vec3| {
            let depth = (at - end).dot(normal).max(0.0);
            rub(self.friction, depth, normal, a, end + depth * normal)
        };
        let (start_distance, start_normal) = self.distance(a);
        if start_distance >= -touch {
            if start_distance <= touch && start_normal.dot(b - a) < 0.0 {
                normal = Some(start_normal);
                end = slide(a, end, start_normal);
            }
            let mut at = a;
            for touches in 1..=MOST_TOUCHES {
                let Some((hit, hit_normal)) = self.first_touch(at, end, touch) else { break };
                normal = Some(hit_normal);
                at = hit;
                end = if touches == MOST_TOUCHES { hit } else { slide(hit, end, hit_normal) };
            }
        }
        let (depth, nearest) = self.distance(end);
        if depth < 0.0 && normal.is_none() {
            normal = Some(nearest);
            end = slide(end - depth * nearest, end, nearest);
        }
        Some((self.outside(end), normal?))
    }

    /// The point itself, or where it is inside, above it or, where it is nearer to a wall, before that.
    fn outside(&self, point: Vec3) -> Vec3 {
        match self.distance(point) {
            (depth, _) if depth >= 0.0 => point,
            (_, normal) if normal.y > 0.0 => point.with_y(self.plane(point.xz()).height_at(point.xz())),
            (depth, normal) => point - depth * normal,
        }
    }

    /// Signed distance from the plane of the triangle at a point or from the nearest wall, whichever is greater, and the
    /// unit vector along which it grows.
    pub(super) fn distance(&self, point: Vec3) -> (f32, Vec3) {
        let plane = self.plane(point.xz());
        let (top, beyond) = (plane.distance(point), point.xz().abs() - self.half_sides);
        let wall = beyond.max_element();
        if wall <= top {
            return (top, plane.normal());
        }
        let axis = if beyond.x >= beyond.y { Vec3::X } else { Vec3::Z };
        (wall, if point.dot(axis) < 0.0 { -axis } else { axis })
    }

    /// Side of a cell \[m\].
    fn cell_sides(&self) -> Vec2 {
        2.0 * self.half_sides / (self.grid_size - 1).as_vec2()
    }

    /// The plane of the triangle at a place; of the nearest one beyond the border.
    fn plane(&self, place: Vec2) -> Plane {
        let sides = self.cell_sides();
        let in_cells = (place.clamp(-self.half_sides, self.half_sides) + self.half_sides) / sides;
        let cell = in_cells.floor().min((self.grid_size - 2).as_vec2());
        let within = in_cells - cell;
        let height = |right: u32, down: u32| {
            let node = cell.as_uvec2() + UVec2::new(right, down);
            self.heights[(node.y * self.grid_size.x + node.x) as usize]
        };
        let (low, high) = (height(0, 0), height(1, 1));
        let rise = if within.x >= within.y {
            Vec2::new(height(1, 0) - low, high - height(1, 0))
        } else {
            Vec2::new(high - height(0, 1), height(0, 1) - low)
        };
        Plane { corner: cell * sides - self.half_sides, height: low, slope: rise / sides }
    }

    /// Where a way first goes deeper than `touch` into a wall or a triangle, and that one's normal.
    fn first_touch(&self, a: Vec3, b: Vec3, touch: f32) -> Option<(Vec3, Vec3)> {
        let way = b - a;
        let at = |share: f32| a + share * way;
        let inner = self.half_sides - touch;
        let is_within = |place: Vec2| place.abs().cmplt(inner).all();
        // Through a wall, where the way comes from beyond one and is below the top behind it.
        let walls = [(Vec3::X, inner.x, self.half_sides.x), (Vec3::Z, inner.y, self.half_sides.y)];
        for (axis, inner, outer) in walls {
            let (place, speed) = (a.dot(axis), way.dot(axis));
            let side = -speed.signum();
            let share = (side * inner - place) / speed;
            let behind = at(share);
            let across = (Vec3::ONE - axis - Vec3::Y) * behind;
            if side * place > inner
                && share < 1.0
                && is_within(across.xz())
                && behind.y < self.plane(behind.xz()).height_at(behind.xz())
            {
                return Some((at(((side * outer - place) / speed).clamp(0.0, 1.0)), side * axis));
            }
        }
        for piece in self.crossings(a, b, inner).windows(2) {
            let middle = at((piece[0] + piece[1]) / 2.0).xz();
            if !is_within(middle) {
                continue;
            }
            let plane = self.plane(middle);
            let [before, after] = [piece[0], piece[1]].map(|share| plane.distance(at(share)));
            if after < -touch && after < before {
                let share = (before / (before - after)).clamp(0.0, 1.0);
                return Some((at(piece[0] + share * (piece[1] - piece[0])), plane.normal()));
            }
        }
        None
    }

    /// Shares of a way, in ascending order, at which it starts, ends, and crosses a line of the grid, a diagonal or the
    /// inner side of a wall.
    fn crossings(&self, a: Vec3, b: Vec3, inner: Vec2) -> Vec<f32> {
        let in_cells = |point: Vec3| (point.xz() + self.half_sides) / self.cell_sides();
        let (from, way) = (in_cells(a), in_cells(b) - in_cells(a));
        let (columns, rows) = (self.grid_size.x as i32, self.grid_size.y as i32);
        let border = (self.half_sides - inner) / self.cell_sides();
        let lines = |count: i32, border: f32| {
            (0..count).map(|line| line as f32).chain([border, (count - 1) as f32 - border]).collect::<Vec<_>>()
        };
        let diagonals = (-rows..=columns).map(|line| line as f32).collect();
        let families = [
            (from.x, way.x, lines(columns, border.x)),
            (from.y, way.y, lines(rows, border.y)),
            (from.x - from.y, way.x - way.y, diagonals),
        ];
        let mut shares = vec![0.0, 1.0];
        for (from, way, lines) in families {
            shares.extend(lines.into_iter().map(|line| (line - from) / way).filter(|share| (0.0..1.0).contains(share)));
        }
        shares.sort_by(f32::total_cmp);
        shares
    }
}
