//! The passes of constraint solvers that take particles one by one.

use super::external::{External, Place};
use super::flutter::FlutterPhases;
use crate::engine::{self, Bindings, Buffer, Device, Kernel};
use crate::shaders;

/// For the particles in one place.
pub(super) struct ParticlePasses {
    pub(super) predict: Bindings<Kernel>,
    pub(super) collide: Bindings<Kernel>,
    pub(super) velocity: Bindings<Kernel>,
}

impl ParticlePasses {
    pub(super) fn new(
        device: &Device,
        place: &Place<'_>,
        previous_positions: &Buffer,
        external: &External,
        flutter_phases: &FlutterPhases,
        parameters: &Buffer,
    ) -> engine::Result<Self> {
        let [positions, velocities] = place.resources();
        let positions = ("Positions", positions);
        let previous_positions = ("PreviousPositions", previous_positions.into());
        let velocities = ("Velocities", velocities);
        let parameters = ("PbdParameters", parameters.into());
        let forces = ("Forces", external.forces().into());
        let colliders = ("Colliders", external.colliders.buffer().into());
        Ok(Self {
            predict: Kernel::new(device, &shaders::PBD_PREDICT)?.bind(&[
                positions,
                previous_positions,
                velocities,
                forces,
                parameters,
                ("FlutterPhases", flutter_phases.buffer().into()),
            ])?,
            collide: Kernel::new(device, &shaders::PBD_COLLIDE)?.bind(&[
                positions,
                previous_positions,
                parameters,
                colliders,
            ])?,
            velocity: Kernel::new(device, &shaders::PBD_VELOCITY)?.bind(&[
                positions,
                previous_positions,
                velocities,
                parameters,
            ])?,
        })
    }
}
