//! Carries particles along with the jump of what holds them, on the device, wherever a solver keeps them.

use super::external::Place;
use super::uploads::Uploads;
use crate::engine::{self, Buffer, Kernel, Recorder, Resource, ShaderCode};
use crate::layout::{self, TeleportPush};
use crate::model::{Carried, Jump};
use crate::shaders;

/// The lists of jumps of one body on the device, made when it first jumps.
#[derive(Default)]
pub(super) struct Teleport {
    lists: Option<Lists>,
}

/// As [`Carried`] has them.
struct Lists {
    jump_of: Buffer,
    jumps: Buffer,
    jump_of_uploads: Uploads,
    jumps_uploads: Uploads,
}

impl Lists {
    fn new(recorder: &Recorder<'_>, carried: &Carried) -> engine::Result<Self> {
        let device = recorder.device();
        let jump_of = Buffer::zeroed(device, "teleport.jump_of", size_of_val(&*carried.jump_of) as u64)?;
        let bytes = size_of::<layout::Jump>() * carried.jumps.len();
        let jumps = Buffer::zeroed(device, "teleport.jumps", bytes as u64)?;
        let (jump_of_uploads, jumps_uploads) = (Uploads::new(device, &jump_of), Uploads::new(device, &jumps));
        Ok(Self { jump_of, jumps, jump_of_uploads, jumps_uploads })
    }
}

impl Teleport {
    /// Records that the particles in `place` jump.
    pub(super) fn record(
        &mut self,
        recorder: &mut Recorder<'_>,
        place: &Place<'_>,
        carried: &Carried,
    ) -> engine::Result<()> {
        let [positions, velocities] = place.resources();
        match place {
            Place::Buffers { .. } => {
                let places = [("Positions", positions), ("Velocities", velocities)];
                self.record_with(recorder, &shaders::TELEPORT_CARRY, &places, carried)
            }
            Place::PreviousBuffers { .. } => {
                let places = [("Positions", positions), ("PreviousPositions", velocities)];
                self.record_with(recorder, &shaders::TELEPORT_CARRY_PREVIOUS, &places, carried)
            }
            Place::Images { .. } => {
                let places = [("u_CurrPos", positions), ("u_PrevPos", velocities)];
                self.record_with(recorder, &shaders::TELEPORT_CARRY_IMAGE, &places, carried)
            }
        }
    }

    /// Records that the particles of ropes jump, in the planes of their state.
    pub(super) fn record_planes(
        &mut self,
        recorder: &mut Recorder<'_>,
        planes: &Buffer,
        carried: &Carried,
    ) -> engine::Result<()> {
        self.record_with(recorder, &shaders::TELEPORT_CARRY_PLANES, &[("Planes", planes.into())], carried)
    }

    fn record_with(
        &mut self,
        recorder: &mut Recorder<'_>,
        code: &ShaderCode<'_>,
        places: &[(&str, Resource<'_>)],
        carried: &Carried,
    ) -> engine::Result<()> {
        let lists = match self.lists.take() {
            Some(lists) => lists,
            None => Lists::new(recorder, carried)?,
        };
        let lists = self.lists.insert(lists);
        lists.jump_of_uploads.record(recorder, &carried.jump_of)?;
        lists.jumps_uploads.record(recorder, &carried.jumps.iter().map(seen).collect::<Vec<_>>())?;
        let held = [("JumpOf", (&lists.jump_of).into()), ("Jumps", (&lists.jumps).into())];
        let bindings = Kernel::new(recorder.device(), code)?.bind(&[places, &held].concat())?;
        let push = TeleportPush { particle_count: carried.jump_of.len() as u32 };
        recorder.dispatch_each(&bindings, &push, push.particle_count)
    }
}

/// What the kernel sees of a jump.
fn seen(jump: &Jump) -> layout::Jump {
    layout::Jump { from: jump.from.extend(0.0), to: jump.to.extend(0.0), rotation: jump.rotation.into() }
}
