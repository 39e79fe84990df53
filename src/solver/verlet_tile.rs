//! Several substeps of `verlet` in one dispatch: a workgroup has a tile of the grid, and moves with it what can act on it
//! meanwhile, two nodes a substep on each side.

use super::verlet_memory::VerletMemory;
use super::{Path, Step};
use crate::engine::{self, Bindings, Device, Kernel, Recorder, Resource, vk};
use crate::layout::{MOST_VERLET_TILE_SUBSTEPS, VerletTilePush};
use crate::model::Grid;
use crate::shaders;

/// How a grid is shared out to workgroups that compute several substeps in one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VerletTile {
    /// Nodes of a tile across.
    pub columns: u32,
    /// Nodes of a tile down.
    pub rows: u32,
    /// Substeps of a dispatch, 2 to [`MOST_VERLET_TILE_SUBSTEPS`].
    pub substeps: u32,
    /// Invocations of a workgroup, among which nodes are shared out.
    pub invocations: u32,
}

/// The tiles of grids of up to so many nodes. Small grids are limited by the time that a dispatch takes, however little it
/// does, and larger ones by the nodes around tiles, which are moved several times.
const TILES: [(u64, VerletTile); 4] = [
    (1 << 13, VerletTile { columns: 8, rows: 4, substeps: 6, invocations: 896 }),
    (1 << 15, VerletTile { columns: 8, rows: 8, substeps: 4, invocations: 576 }),
    (1 << 17, VerletTile { columns: 16, rows: 16, substeps: 4, invocations: 512 }),
    (1 << 21, VerletTile { columns: 32, rows: 16, substeps: 2, invocations: 320 }),
];

impl VerletTile {
    /// What is fastest for a grid on a device; none where that is one substep a dispatch, as on processors, which have no use
    /// for shared memory, and in steps of one substep.
    #[must_use]
    pub fn of(device: &Device, grid: &Grid, step: &Step, path: Path) -> Option<Self> {
        if path.joins_on(device) { Self::within(device.limits(), grid, step.substeps) } else { None }
    }

    /// What is fastest for a grid in a step of so many substeps, within the limits of a device.
    fn within(limits: &vk::PhysicalDeviceLimits, grid: &Grid, substeps: u32) -> Option<Self> {
        let (_, tile) = TILES.into_iter().find(|(nodes, _)| grid.particle_count() <= *nodes)?;
        let most = limits.max_compute_shared_memory_size;
        let of = |substeps| Self { substeps, ..tile };
        let tile = (2..=tile.substeps.min(substeps)).rev().map(of).find(|tile| tile.shared_bytes() <= most)?;
        let most = limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0]);
        Some(Self { invocations: tile.invocations.min(tile.shared_nodes()).min(most), ..tile })
    }

    /// Nodes of the tile and around it that a workgroup has.
    fn shared_nodes(&self) -> u32 {
        let halo = 4 * self.substeps;
        (self.columns + halo) * (self.rows + halo)
    }

    /// Shared memory of a workgroup \[bytes\]: where each of its nodes is now and was a substep ago.
    fn shared_bytes(&self) -> u32 {
        2 * size_of::<glam::Vec4>() as u32 * self.shared_nodes()
    }
}

/// The pass that computes several substeps.
pub(super) struct TilePass {
    tile: VerletTile,
    /// Invocations in x and y for the whole grid.
    invocations: [u32; 2],
    /// One for each place of the memory.
    places: Vec<Bindings<Kernel>>,
}

impl TilePass {
    /// Binds memory in pairs, with the resources that all places have.
    ///
    /// # Panics
    /// Where the tile has no nodes, or another number of substeps than is possible.
    pub(super) fn new(
        device: &Device,
        tile: VerletTile,
        grid: &Grid,
        memory: &VerletMemory,
        has_colliders: bool,
        shared: &[(&'static str, Resource<'_>)],
    ) -> engine::Result<Self> {
        let VerletTile { columns, rows, substeps, invocations } = tile;
        assert!(
            columns > 0 && rows > 0 && (2..=MOST_VERLET_TILE_SUBSTEPS as u32).contains(&substeps),
            "a tile as {tile:?}"
        );
        let constants = [invocations, columns, rows, substeps, has_colliders.into()];
        let kernel = Kernel::specialised(device, &shaders::VERLET_TILE, &constants)?;
        let tiles = [grid.columns.div_ceil(columns), grid.rows.div_ceil(rows)];
        let places = memory.bind_tiles(&kernel, shared)?;
        Ok(Self { tile, invocations: [tiles[0] * invocations, tiles[1]], places })
    }

    /// Most substeps of a dispatch.
    pub(super) fn substeps(&self) -> u32 {
        self.tile.substeps
    }

    /// Records the substeps of `push` from a place on.
    pub(super) fn record(
        &self,
        recorder: &mut Recorder<'_>,
        place: usize,
        push: &VerletTilePush,
    ) -> engine::Result<()> {
        let [x, y] = self.invocations;
        recorder.dispatch(&self.places[place], push, [x, y, 1])
    }

    /// Name of the pass.
    pub(super) fn pass(&self) -> String {
        self.places[0].pipeline().name().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(nodes_across: u32, substeps: u32, shared_memory: u32, invocations: u32) -> Option<VerletTile> {
        let limits = vk::PhysicalDeviceLimits {
            max_compute_shared_memory_size: shared_memory,
            max_compute_work_group_invocations: invocations,
            max_compute_work_group_size: [invocations; 3],
            ..Default::default()
        };
        let grid = Grid { columns: nodes_across, rows: nodes_across, spacing: 1.0 };
        VerletTile::within(&limits, &grid, substeps)
    }

    #[test]
    fn tiles_shrink_to_the_limits_of_a_device() {
        for (nodes, largest) in TILES {
            let across = nodes.isqrt() as u32;
            // An NVIDIA H200 has room for each of them.
            assert_eq!(tile(across, 40, 49152, 1024), Some(largest));
            assert!(largest.invocations <= largest.shared_nodes(), "{largest:?} has invocations without a node");
            let smaller = tile(across, 40, 32768, 256).expect("a tile");
            assert!(smaller.shared_bytes() <= 32768 && smaller.invocations == 256, "{smaller:?}");
            // What every device has: enough for some, and the others have one substep a dispatch.
            let least = tile(across, 40, 16384, 128);
            assert!(least.is_none_or(|tile| tile.shared_bytes() <= 16384 && tile.invocations == 128), "{least:?}");
        }
        assert!(tile(64, 40, 16384, 128).is_some());
    }

    #[test]
    fn a_tile_has_no_more_substeps_than_a_step() {
        assert_eq!(tile(64, 1, 49152, 1024), None);
        let two = tile(64, 2, 49152, 1024).expect("a tile");
        assert_eq!((two.substeps, two.invocations), (2, (8 + 8) * (4 + 8)));
        assert_eq!(tile(1 << 13, 40, 49152, 1024), None, "a large grid");
    }
}
