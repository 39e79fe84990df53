//! How a grid is divided into tiles, by its size and by what the device can do.

use crate::engine::Device;
use crate::model::Grid;

/// How a grid is divided among workgroups, and how many sweeps each makes of its tile at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Blocks beside each other in a strip; each is two columns wide and belongs to one invocation.
    pub lanes: u32,
    /// Strips below each other.
    pub strips: u32,
    /// Rows of a block: an even number, and a multiple of 4 for constraints over two cells.
    pub block_rows: u32,
    /// Sweeps over all constraints in one dispatch; a tile that holds the whole grid can make as many as there are.
    pub sweeps: u32,
    /// Whether blocks beside each other exchange nodes within a subgroup, else through shared memory.
    pub is_shuffled: bool,
}

/// What a tile reads around what it writes, on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halo {
    pub(super) columns: u32,
    pub(super) rows: u32,
}

/// Most nodes of a grid that one workgroup takes through a whole step. More take longer than the dispatches that it saves.
const WHOLE: u64 = 48 * 48;

/// Lanes, strips, rows of a block and sweeps, for grids of up to so many nodes; the first for which the device has room counts.
///
/// Of a small grid, dispatches are what costs: several sweeps in each. A large one has work for all, and what tiles do twice is
/// what costs. Measured on an NVIDIA H200 (see BENCHMARKS.md); the last ones are for workgroups of 256 and 128 invocations.
const SIZES: [(u64, (u32, u32, u32, u32)); 6] = [
    (150 * 150, (16, 24, 2, 3)),
    (350 * 350, (16, 24, 2, 2)),
    (2000 * 2000, (16, 32, 2, 1)),
    (u64::MAX, (32, 8, 4, 1)),
    (u64::MAX, (16, 16, 2, 1)),
    (u64::MAX, (8, 16, 2, 1)),
];

/// The same for grids with constraints over two cells.
const BENDING: [(u64, (u32, u32, u32, u32)); 3] =
    [(u64::MAX, (32, 20, 4, 1)), (u64::MAX, (16, 16, 4, 1)), (u64::MAX, (16, 8, 4, 1))];

impl TileShape {
    /// Columns and rows of a tile, with its halo.
    pub(super) fn size(&self) -> [u32; 2] {
        [2 * self.lanes, self.block_rows * self.strips]
    }

    /// Invocations of a workgroup.
    pub(super) fn invocations(&self) -> u32 {
        self.lanes * self.strips
    }

    /// Whether one tile holds a whole grid.
    pub(super) fn holds(&self, grid: &Grid) -> bool {
        let [columns, rows] = self.size();
        grid.columns <= columns && grid.rows <= rows
    }

    /// What the nodes of a tile depend on around it.
    ///
    /// A sweep is traced back from its last batch to its first. Where tiles start in even rows and columns, each of the two
    /// batches of diagonals of one direction, and of columns, reaches one row farther: 6 rows. Those of rows reach 2 columns
    /// and the diagonals another 2. Constraints over two cells reach 4 more each way where tiles start at multiples of 4, and a
    /// halo has to be a multiple of 4 for that.
    pub(super) fn halo(&self, grid: &Grid, bends: bool) -> Halo {
        if self.holds(grid) {
            return Halo { columns: 0, rows: 0 };
        }
        let [columns, rows] = if bends { [8, 10] } else { [4, 6] };
        let multiple = if bends { 4 } else { 2 };
        Halo {
            columns: (columns * self.sweeps).next_multiple_of(multiple),
            rows: (rows * self.sweeps).next_multiple_of(multiple),
        }
    }

    /// Columns and rows that a tile writes; none where it is all halo.
    pub(super) fn own_size(&self, grid: &Grid, bends: bool) -> Option<[u32; 2]> {
        let [columns, rows] = self.size();
        let halo = self.halo(grid, bends);
        let own = [columns.checked_sub(2 * halo.columns)?, rows.checked_sub(2 * halo.rows)?];
        (own[0] > 0 && own[1] > 0).then_some(own)
    }

    /// The values of the kernel's constants.
    pub(super) fn constants(&self, grid: &Grid, bends: bool, keeps_motions: bool) -> [u32; 8] {
        let halo = self.halo(grid, bends);
        let Self { lanes, strips, block_rows, .. } = *self;
        let top_rows = 1 + u32::from(bends);
        [self.invocations(), lanes, strips, block_rows, halo.columns, halo.rows, top_rows, keeps_motions.into()]
    }

    /// The shape that is fastest for a grid on a device, with at most `most_sweeps` at once; none where there is none for this
    /// device.
    pub(super) fn fastest(device: &Device, grid: &Grid, bends: bool, most_sweeps: u32) -> Option<Self> {
        let whole = (grid.particle_count() <= WHOLE).then(|| {
            let block_rows = if bends { 4 } else { 2 };
            let lanes = grid.columns.div_ceil(2).next_power_of_two();
            let strips = grid.rows.div_ceil(block_rows).next_power_of_two();
            (lanes, strips, block_rows, most_sweeps)
        });
        let sizes = if bends { &BENDING[..] } else { &SIZES[..] };
        let of_size =
            sizes.iter().filter(|(most_nodes, _)| grid.particle_count() <= *most_nodes).map(|(_, shape)| *shape);
        let shapes = whole.into_iter().chain(of_size).map(|(lanes, strips, block_rows, sweeps)| {
            let sweeps = sweeps.min(most_sweeps);
            Self { lanes, strips, block_rows, sweeps, is_shuffled: false }.on(device)
        });
        shapes.into_iter().find(|shape| shape.fits(device) && shape.own_size(grid, bends).is_some())
    }

    /// The same with the exchange that the device has for it.
    fn on(self, device: &Device) -> Self {
        let is_shuffled = device
            .subgroup_size()
            .is_some_and(|size| size.is_multiple_of(self.lanes) && self.invocations().is_multiple_of(size));
        Self { is_shuffled, ..self }
    }

    /// Whether a device has room for a workgroup of this shape.
    fn fits(&self, device: &Device) -> bool {
        let limits = device.limits();
        let most = limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0]);
        // Two or four nodes of each block, three coordinates each.
        let shared = 4 * 3 * 4 * self.invocations();
        self.invocations() <= most && shared <= limits.max_compute_shared_memory_size
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::model::{Cloth, GridPlane};

    /// What the nodes in some rows and columns depend on, by going over all constraints backwards: as far as that reaches up,
    /// down, left and right of them.
    fn reach(bends: bool, sweeps: u32, first: u32, size: [u32; 2]) -> [u32; 4] {
        let grid = Grid { columns: 80, rows: 96, spacing: 1.0 };
        let cloth = Cloth::from_grid(grid, GridPlane::Vertical, 1.0, bends);
        let own = (first..first + size[1])
            .flat_map(|row| (first..first + size[0]).map(move |column| grid.index(column, row)));
        let mut needed: HashSet<u32> = own.collect();
        for batch in (0..sweeps).flat_map(|_| cloth.coloring.batches().iter().rev()) {
            let springs = &cloth.springs[batch.start as usize..batch.end as usize];
            let touched = springs.iter().filter(|spring| spring.particles.iter().any(|node| needed.contains(node)));
            needed.extend(touched.flat_map(|spring| spring.particles).collect::<Vec<_>>());
        }
        let columns = || needed.iter().map(|node| node % grid.columns);
        let rows = || needed.iter().map(|node| node / grid.columns);
        [
            first - rows().min().unwrap(),
            rows().max().unwrap() + 1 - first - size[1],
            first - columns().min().unwrap(),
            columns().max().unwrap() + 1 - first - size[0],
        ]
    }

    #[test]
    fn a_halo_is_what_a_tile_depends_on_and_no_more() {
        let grid = Grid { columns: 80, rows: 96, spacing: 1.0 };
        let shape = |sweeps| TileShape { lanes: 16, strips: 12, block_rows: 4, sweeps, is_shuffled: false };
        for (bends, size) in [(false, [8, 6]), (false, [2, 10]), (true, [8, 4])] {
            for sweeps in [1, 2, 3] {
                let halo = shape(sweeps).halo(&grid, bends);
                let [up, down, left, right] = reach(bends, sweeps, 40, size);
                let multiple = if bends { 4 } else { 2 };
                assert!(up <= halo.rows && down <= halo.rows && left <= halo.columns && right <= halo.columns);
                if !bends {
                    assert_eq!([up.max(down), left.max(right)], [halo.rows, halo.columns], "{sweeps} sweeps");
                } else if sweeps == 1 {
                    let least = [up.max(down), left.max(right)].map(|far| far.next_multiple_of(multiple));
                    assert_eq!(least, [halo.rows, halo.columns]);
                }
            }
        }
    }

    #[test]
    fn a_tile_that_holds_the_grid_has_no_halo() {
        let shape = TileShape { lanes: 16, strips: 16, block_rows: 2, sweeps: 1, is_shuffled: false };
        let whole = Grid { columns: 32, rows: 31, spacing: 1.0 };
        assert_eq!(shape.halo(&whole, false), Halo { columns: 0, rows: 0 });
        assert_eq!(shape.own_size(&whole, false), Some([32, 32]));
        let wider = Grid { columns: 33, ..whole };
        assert_eq!(shape.own_size(&wider, false), Some([24, 20]));
        assert_eq!(TileShape { sweeps: 3, ..shape }.own_size(&wider, false), None);
    }
}
