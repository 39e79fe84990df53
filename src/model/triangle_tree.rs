//! A tree of boxes over triangles: what is nearest to a point, and which triangles may meet.

use glam::{DVec3, Vec3};

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// On what part of a triangle a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Inside of it.
    Face,
    /// On the edge from its corner of this number to the next, 0 to 2.
    Edge(usize),
    /// At its corner of this number, 0 to 2.
    Vertex(usize),
}

/// The place on a mesh that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Where it is \[m\].
    pub point: DVec3,
    /// Its distance from the point that was asked for, squared \[m²\].
    pub distance_squared: f64,
    /// Index of a triangle that it lies on.
    pub triangle: u32,
    /// On what part of that.
    pub feature: Feature,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: DVec3,
    greatest: DVec3,
}

impl Bounds {
    fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let none = Self { least: DVec3::INFINITY, greatest: DVec3::NEG_INFINITY };
        points
            .into_iter()
            .fold(none, |bounds, point| Self { least: bounds.least.min(point), greatest: bounds.greatest.max(point) })
    }

    /// Distance from a point, squared; 0 inside.
    fn distance_squared(&self, point: DVec3) -> f64 {
        point.distance_squared(point.clamp(self.least, self.greatest))
    }

    /// Whether two come nearer to each other than `margin` along every axis.
    fn meets(&self, other: &Self, margin: f64) -> bool {
        (self.least - other.greatest).max(other.least - self.greatest).max_element() <= margin
    }
}

/// A box with its triangles, or with two boxes.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// The first of its triangles in [`TriangleTree::order`].
    first: u32,
    /// How many there are in all boxes inside.
    count: u32,
    /// Index of the second box inside, where there are two; the first one comes right after this.
    second: u32,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.second == 0
    }
}

/// A hierarchy of boxes over the triangles of a mesh, which stay where they are.
#[derive(Clone, Debug)]
pub struct TriangleTree<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    /// Indices of triangles, those of a box next to each other.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

impl<'a> TriangleTree<'a> {
    /// Over `triangles` between vertices at `positions` \[m\], all of them finite.
    ///
    /// # Panics
    /// Where a triangle names a vertex that does not exist.
    #[must_use]
    pub fn new(positions: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Self {
        let mut tree = Self { positions, triangles, order: (0..triangles.len() as u32).collect(), nodes: Vec::new() };
        if !triangles.is_empty() {
            let mut order = std::mem::take(&mut tree.order);
            tree.split(&mut order, 0);
            tree.order = order;
        }
        tree
    }

    /// Adds the box of some triangles, which start at `first` in the order, and those inside it.
    fn split(&mut self, order: &mut [u32], first: usize) {
        let index = self.nodes.len();
        let bounds = Bounds::around(order.iter().flat_map(|&triangle| self.corners(triangle)));
        self.nodes.push(Node { bounds, first: first as u32, count: order.len() as u32, second: 0 });
        if order.len() <= LEAF {
            return;
        }
        // Halves along the axis on which their middles reach farthest: never deeper than the logarithm of their number.
        let middle = |triangle: u32| self.corners(triangle).into_iter().sum::<DVec3>();
        let middles = Bounds::around(order.iter().map(|&triangle| middle(triangle)));
        let axis = (middles.greatest - middles.least).max_position();
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&left, &right| {
            middle(left)[axis].total_cmp(&middle(right)[axis]).then(left.cmp(&right))
        });
        let (left, right) = order.split_at_mut(half);
        self.split(left, first);
        self.nodes[index].second = self.nodes.len() as u32;
        self.split(right, first + half);
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize].as_dvec3())
    }

    fn triangles_of(&self, node: &Node) -> &[u32] {
        &self.order[node.first as usize..][..node.count as usize]
    }

    /// The place on the mesh that is nearest to `point`, of those within `reach` \[m\]; of equally near ones that on the
    /// triangle of the least index. `None` where there is none.
    #[must_use]
    pub fn closest(&self, point: DVec3, reach: f64) -> Option<ClosestPoint> {
        let mut best: Option<ClosestPoint> = None;
        let mut bound = reach * reach;
        let mut waiting = Vec::from_iter(self.nodes.first().map(|node| (0, node.bounds.distance_squared(point))));
        while let Some((index, distance_squared)) = waiting.pop() {
            if distance_squared > bound {
                continue;
            }
            let node = &self.nodes[index as usize];
            if !node.is_leaf() {
                let mut inside = [index + 1, node.second]
                    .map(|child| (child, self.nodes[child as usize].bounds.distance_squared(point)));
                // What is nearer is looked at first.
                if inside[0].1 < inside[1].1 {
                    inside.swap(0, 1);
                }
                waiting.extend(inside);
                continue;
            }
            for &triangle in self.triangles_of(node) {
                let (closest, feature) = closest_on_triangle(point, self.corners(triangle));
                let distance_squared = closest.distance_squared(point);
                let is_nearer = best.is_none_or(|best| {
                    distance_squared < best.distance_squared
                        || distance_squared == best.distance_squared && triangle < best.triangle
                });
                if distance_squared <= bound && is_nearer {
                    bound = distance_squared;
                    best = Some(ClosestPoint { point: closest, distance_squared, triangle, feature });
                }
            }
        }
        best
    }

    /// Calls `visit` for each pair of triangles whose boxes come nearer to each other than `margin` \[m\] along every axis,
    /// once, the lower index first, in an order that the mesh alone decides. It keeps no list of them.
    pub fn pairs(&self, margin: f64, mut visit: impl FnMut(u32, u32)) {
        let mut waiting = Vec::from_iter(self.nodes.first().map(|_| [0, 0]));
        while let Some([a, b]) = waiting.pop() {
            let [left, right] = [a, b].map(|node| &self.nodes[node as usize]);
            if !left.bounds.meets(&right.bounds, margin) {
                continue;
            }
            if left.is_leaf() && right.is_leaf() {
                self.pairs_of_leaves(left, right, a == b, margin, &mut visit);
            } else if a == b {
                waiting.extend([[a + 1, a + 1], [left.second, left.second], [a + 1, left.second]]);
            } else if right.is_leaf() || !left.is_leaf() && left.count >= right.count {
                waiting.extend([[a + 1, b], [left.second, b]]);
            } else {
                waiting.extend([[a, b + 1], [a, right.second]]);
            }
        }
    }

    fn pairs_of_leaves(&self, left: &Node, right: &Node, is_same: bool, margin: f64, visit: &mut impl FnMut(u32, u32)) {
        let bounds = |triangle: u32| Bounds::around(self.corners(triangle));
        for (number, &a) in self.triangles_of(left).iter().enumerate() {
            let others = if is_same { number + 1 } else { 0 };
            for &b in &self.triangles_of(right)[others..] {
                if bounds(a).meets(&bounds(b), margin) {
                    visit(a.min(b), a.max(b));
                }
            }
        }
    }
}

/// The place on a triangle with an area that is nearest to a point, and on what part of it that lies.
/// Source: Ericson 2005, "Real-Time Collision Detection", 5.1.5.
#[must_use]
pub fn closest_on_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Feature) {
    let (ab, ac) = (b - a, c - a);
    let along = |from: DVec3| (ab.dot(point - from), ac.dot(point - from));
    let (a1, a2) = along(a);
    if a1 <= 0.0 && a2 <= 0.0 {
        return (a, Feature::Vertex(0));
    }
    let (b1, b2) = along(b);
    if b1 >= 0.0 && b2 <= b1 {
        return (b, Feature::Vertex(1));
    }
    let beside_ab = a1 * b2 - b1 * a2;
    if beside_ab <= 0.0 && a1 >= 0.0 && b1 <= 0.0 {
        return (a + a1 / (a1 - b1) * ab, Feature::Edge(0));
    }
    let (c1, c2) = along(c);
    if c2 >= 0.0 && c1 <= c2 {
        return (c, Feature::Vertex(2));
    }
    let beside_ca = c1 * a2 - a1 * c2;
    if beside_ca <= 0.0 && a2 >= 0.0 && c2 <= 0.0 {
        return (a + a2 / (a2 - c2) * ac, Feature::Edge(2));
    }
    let beside_bc = b1 * c2 - c1 * b2;
    if beside_bc <= 0.0 && b2 >= b1 && c1 >= c2 {
        return (b + (b2 - b1) / ((b2 - b1) + (c1 - c2)) * (c - b), Feature::Edge(1));
    }
    let whole = beside_ab + beside_bc + beside_ca;
    (a + (beside_ca / whole) * ab + (beside_ab / whole) * ac, Feature::Face)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Triangles anywhere in a cube, which share vertices at random and have an area.
    fn meshes() -> impl Strategy<Value = (Vec<Vec3>, Vec<[u32; 3]>)> {
        let coordinate = || -1.0..1.0_f32;
        let position = (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z));
        let positions = prop::collection::vec(position, 30);
        (positions, prop::collection::vec(prop::array::uniform3(0..30_u32), 1..60)).prop_map(
            |(positions, mut triangles)| {
                triangles.retain(|triangle| {
                    let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
                    (b - a).cross(c - a).length() > 1e-3
                });
                (positions, triangles)
            },
        )
    }

    proptest! {
        #[test]
        fn the_closest_point_is_the_closest_of_all_triangles(
            (positions, triangles) in meshes(),
            point in prop::array::uniform3(-2.0..2.0_f64),
        ) {
            let point = DVec3::from_array(point);
            prop_assume!(!triangles.is_empty());
            let found = TriangleTree::new(&positions, &triangles).closest(point, f64::INFINITY).unwrap();
            let of_all = triangles.iter().map(|triangle| {
                let corners = triangle.map(|vertex| positions[vertex as usize].as_dvec3());
                closest_on_triangle(point, corners).0.distance_squared(point)
            });
            let (triangle, distance_squared) = of_all.enumerate().min_by(|left, right| left.1.total_cmp(&right.1)).unwrap();
            prop_assert_eq!((found.triangle as usize, found.distance_squared), (triangle, distance_squared));
        }

        #[test]
        fn pairs_are_all_whose_boxes_meet((positions, triangles) in meshes(), margin in 0.0..0.3_f64) {
            let mut found = Vec::new();
            TriangleTree::new(&positions, &triangles).pairs(margin, |a, b| found.push((a, b)));
            found.sort_unstable();
            let bounds = |triangle: &[u32; 3]| {
                let corners = triangle.map(|vertex| positions[vertex as usize].as_dvec3());
                (corners.iter().copied().reduce(DVec3::min).unwrap(), corners.into_iter().reduce(DVec3::max).unwrap())
            };
            let mut expected = Vec::new();
            for (a, left) in triangles.iter().enumerate() {
                for (b, right) in triangles.iter().enumerate().skip(a + 1) {
                    let ((least, greatest), (other_least, other_greatest)) = (bounds(left), bounds(right));
                    let meet = |axis: usize| {
                        least[axis] - other_greatest[axis] <= margin && other_least[axis] - greatest[axis] <= margin
                    };
                    if (0..3).all(meet) {
                        expected.push((a as u32, b as u32));
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }

    /// The triangle (0, 0), (4, 0), (0, 3) at z = 0, from a point above or beside each of its parts.
    #[test]
    fn each_part_of_a_triangle_is_nearest_to_what_lies_beside_it() {
        let corners = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 3.0, 0.0)];
        for (point, closest, feature) in [
            ([1.0, 1.0, 2.0], [1.0, 1.0, 0.0], Feature::Face),
            ([2.0, -1.0, 1.0], [2.0, 0.0, 0.0], Feature::Edge(0)),
            ([-2.0, 1.0, -1.0], [0.0, 1.0, 0.0], Feature::Edge(2)),
            // From the middle of the longest side along its normal, which is (3, 4) / 5.
            ([5.0, 5.5, 1.0], [2.0, 1.5, 0.0], Feature::Edge(1)),
            ([-1.0, -2.0, 3.0], [0.0, 0.0, 0.0], Feature::Vertex(0)),
            ([6.0, -1.0, 0.0], [4.0, 0.0, 0.0], Feature::Vertex(1)),
            ([0.0, 4.0, 1.0], [0.0, 3.0, 0.0], Feature::Vertex(2)),
        ] {
            let (found, part) = closest_on_triangle(DVec3::from_array(point), corners);
            assert_eq!(part, feature, "from {point:?}");
            assert!(found.distance(DVec3::from_array(closest)) < 1e-15, "from {point:?}: {found}");
        }
    }

    #[test]
    fn nothing_is_found_out_of_reach_or_where_there_is_nothing() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let tree = TriangleTree::new(&positions, &[[0, 1, 2]]);
        let from = DVec3::new(0.25, 0.25, 2.0);
        assert!(tree.closest(from, 1.9).is_none());
        assert_eq!(tree.closest(from, 2.0).map(|closest| closest.distance_squared), Some(4.0));
        let empty = TriangleTree::new(&positions, &[]);
        assert!(empty.closest(from, f64::INFINITY).is_none());
        empty.pairs(1.0, |a, b| panic!("{a} and {b}"));
    }
}
