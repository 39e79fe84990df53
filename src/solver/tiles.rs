//! Whole sweeps over the constraints of a grid in one dispatch, in the same bits as batch by batch.
//!
//! Particles take turns between two places: a dispatch reads one, with what lies around each tile, and writes the other.

use glam::{UVec2, Vec4};

use super::external::Place;
use super::pbd_fused::FusedBuffers;
use super::tile_shape::TileShape;
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{Constraint, FusedPush, TileParameters};
use crate::model::{Cloth, Grid};
use crate::shaders;

/// A grid whose constraints are those of [`Cloth::from_grid`], alike within each family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TiledGrid {
    pub(super) grid: Grid,
    /// Whether it has constraints over two cells.
    pub(super) bends: bool,
    parameters: TileParameters,
}

impl TiledGrid {
    /// The grid of a cloth with these constraints, if it is one and its free particles have one mass.
    pub(super) fn of(cloth: &Cloth, constraints: &[Constraint]) -> Option<Self> {
        let grid = cloth.grid?;
        let inverse_mass = *cloth.inverse_masses.first()?;
        let has_one_mass = cloth.inverse_masses.iter().all(|mass| *mass == inverse_mass);
        let are_free_or_held = cloth.positions.iter().all(|particle| [0.0, inverse_mass].contains(&particle.w));
        if !has_one_mass || !are_free_or_held || inverse_mass <= 0.0 {
            return None;
        }
        let mut families: [Option<Vec4>; 5] = [None; 5];
        for constraint in constraints {
            let found = Vec4::new(constraint.rest_length, constraint.compliance, 0.0, 0.0);
            let family = family_of(&grid, constraint)?;
            if *families[family].get_or_insert(found) != found {
                return None;
            }
        }
        let bends = families[3].or(families[4]).is_some();
        if constraints.len() as u64 != constraint_count(&grid, bends) {
            return None;
        }
        let families = families.map(Option::unwrap_or_default);
        let grid_size = UVec2::new(grid.columns, grid.rows);
        Some(Self { grid, bends, parameters: TileParameters { grid_size, inverse_mass, padding: 0, families } })
    }

    pub(super) fn inverse_mass(&self) -> f32 {
        self.parameters.inverse_mass
    }

    /// Whether any constraint yields.
    pub(super) fn is_compliant(&self) -> bool {
        self.parameters.families.iter().any(|family| family.y > 0.0)
    }
}

/// The family of a constraint of a grid, as [`TileParameters::families`] has them.
fn family_of(grid: &Grid, constraint: &Constraint) -> Option<usize> {
    let [column_a, row_a] = [constraint.index_a % grid.columns, constraint.index_a / grid.columns];
    let [column_b, row_b] = [constraint.index_b % grid.columns, constraint.index_b / grid.columns];
    match (i64::from(column_b) - i64::from(column_a), i64::from(row_b) - i64::from(row_a)) {
        (1, 0) => Some(0),
        (0, 1) => Some(1),
        (1 | -1, 1) => Some(2),
        (2, 0) => Some(3),
        (0, 2) => Some(4),
        _ => None,
    }
}

/// How many constraints [`Cloth::from_grid`] makes.
fn constraint_count(grid: &Grid, bends: bool) -> u64 {
    let [columns, rows] = [grid.columns, grid.rows].map(u64::from);
    let less = |count: u64, by: u64| count.saturating_sub(by);
    let near = less(columns, 1) * rows + columns * less(rows, 1) + 2 * less(columns, 1) * less(rows, 1);
    let far = less(columns, 2) * rows + columns * less(rows, 2);
    near + if bends { far } else { 0 }
}

/// The second place of the particles.
pub(super) struct SecondPlace {
    pub(super) positions: Buffer,
    pub(super) velocities: Buffer,
}

impl SecondPlace {
    pub(super) fn new(device: &Device, size: u64) -> engine::Result<Self> {
        Ok(Self {
            positions: Buffer::zeroed(device, "cloth.positions[1]", size)?,
            velocities: Buffer::zeroed(device, "cloth.velocities[1]", size)?,
        })
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place::Buffers { positions: &self.positions, velocities: &self.velocities }
    }
}

/// The tiles of a grid.
pub(super) struct Tiles {
    pub(super) shape: TileShape,
    pub(super) tiled: TiledGrid,
    /// Whole substeps of a dispatch; 0 where one takes several dispatches or is interrupted by other passes.
    pub(super) most_substeps: u32,
    invocations: [u32; 3],
    /// From place `t` to the other one.
    turns: [Bindings<Kernel>; 2],
}

impl Tiles {
    /// Divides a grid into tiles of a shape, each of which makes up to `most_substeps` whole substeps in a dispatch.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the device has no room for such workgroups, or what the engine reports.
    ///
    /// # Panics
    /// Where a tile of that shape is all halo.
    pub(super) fn new(
        device: &Device,
        tiled: TiledGrid,
        shape: TileShape,
        most_substeps: u32,
        buffers: &FusedBuffers<'_>,
        second: &SecondPlace,
    ) -> engine::Result<Self> {
        let TiledGrid { grid, bends, parameters } = tiled;
        let own = shape.own_size(&grid, bends).expect("a tile that has something of its own");
        let parameters = Buffer::from_slice(device, "cloth.tiles", &[parameters])?;
        let code = if shape.is_shuffled { &shaders::PBD_TILE_SUBGROUP } else { &shaders::PBD_TILE };
        let kernel = Kernel::specialised(device, code, &shape.constants(&grid, bends, most_substeps > 1))?;
        let places = [(buffers.positions, buffers.velocities), (&second.positions, &second.velocities)];
        let bind = |turn: usize| {
            let [(positions, velocities), (next_positions, next_velocities)] = [places[turn], places[1 - turn]];
            kernel.bind(&[
                ("Positions", positions.into()),
                ("Velocities", velocities.into()),
                ("NextPositions", next_positions.into()),
                ("NextVelocities", next_velocities.into()),
                ("PreviousPositions", buffers.previous_positions.into()),
                ("Forces", buffers.forces.into()),
                ("PbdParameters", buffers.parameters.into()),
                ("TileParameters", (&parameters).into()),
                ("FlutterPhases", buffers.flutter_phases.into()),
            ])
        };
        let invocations = [grid.columns.div_ceil(own[0]) * shape.invocations(), grid.rows.div_ceil(own[1]), 1];
        Ok(Self { shape, tiled, most_substeps, invocations, turns: [bind(0)?, bind(1)?] })
    }

    /// How many sweeps of one substep.
    pub(super) fn sweeps_at_once(&self) -> u32 {
        if self.shape.holds(&self.tiled.grid) { u32::MAX } else { self.shape.sweeps }
    }

    /// Records a dispatch that reads place `turn` and writes the other one.
    pub(super) fn record(&self, recorder: &mut Recorder<'_>, turn: usize, push: &FusedPush) -> engine::Result<()> {
        recorder.dispatch(&self.turns[turn], push, self.invocations)
    }

    /// Name of the pass.
    pub(super) fn pass(&self) -> String {
        self.turns[0].pipeline().name().to_string()
    }
}
