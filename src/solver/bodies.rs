//! What hangs together by itself and is small, a workgroup each: whole steps in one dispatch, in the same bits as batch by
//! batch.

use super::body_lists::{Batched, BodyLists};
use super::pbd_fused::FusedBuffers;
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{Constraint, FusedPush, Hinge};
use crate::shaders;

/// How many storage buffers the kernel binds.
const STORAGE_BUFFERS: u32 = 12;

/// Fewest and most invocations of a workgroup, where the device allows as many. One is for four particles, which have about
/// three constraints each, and a quarter of those is in a batch.
const INVOCATIONS: [u32; 2] = [32, 1024];

/// The bodies of a cloth.
pub(super) struct Bodies {
    /// Whole substeps of a dispatch; 0 where a substep is interrupted by other passes.
    pub(super) most_substeps: u32,
    invocations: u32,
    pass: Bindings<Kernel>,
}

impl BodyLists {
    /// Most particles of a body on a device; none where it cannot bind what bodies need.
    pub(super) fn most_particles_on(device: &Device) -> Option<u32> {
        let limits = device.limits();
        let is_able = limits.max_per_stage_descriptor_storage_buffers >= STORAGE_BUFFERS;
        // Indices within a body have 16 bits.
        let most = limits.max_compute_shared_memory_size / size_of::<glam::Vec4>() as u32;
        is_able.then_some(most.min(1 << 16))
    }

    /// The bodies of a cloth, where each of its components fits into a workgroup of the device.
    pub(super) fn fitting(
        device: &Device,
        particle_count: usize,
        constraints: Batched<'_, Constraint>,
        hinges: Batched<'_, Hinge>,
    ) -> Option<Self> {
        let most = Self::most_particles_on(device)?;
        Self::new(particle_count, constraints, hinges, most, true).filter(|lists| lists.fit(device))
    }

    /// Whether the device has as many workgroups in a dispatch, and can bind each list, which bodies reach anywhere.
    pub(super) fn fit(&self, device: &Device) -> bool {
        let limits = device.limits();
        let longest = [
            size_of_val(&*self.bodies),
            size_of_val(&*self.particles),
            size_of_val(&*self.batch_ends),
            size_of_val(&*self.constraints),
            size_of_val(&*self.hinges),
            size_of::<f32>() * self.lambda_count as usize,
        ];
        self.bodies.len() <= limits.max_compute_work_group_count[0] as usize
            && longest.into_iter().all(|bytes| bytes <= limits.max_storage_buffer_range as usize)
    }
}

impl Bodies {
    /// Puts the lists of bodies on the device, which make up to `most_substeps` whole substeps in a dispatch.
    pub(super) fn new(
        device: &Device,
        lists: &BodyLists,
        most_substeps: u32,
        buffers: &FusedBuffers<'_>,
    ) -> engine::Result<Self> {
        let limits = device.limits();
        let most = limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0]);
        let [least, greatest] = INVOCATIONS;
        let local_size = lists.most_particles.div_ceil(4).next_power_of_two().clamp(least, greatest).min(most);
        let (is_compliant, has_hinges) = (lists.is_compliant(), !lists.hinges.is_empty());
        let constants = [local_size, lists.most_particles, is_compliant.into(), has_hinges.into()];
        let bodies = Buffer::from_slice(device, "cloth.bodies", &lists.bodies)?;
        let particles = Buffer::from_slice(device, "cloth.body_particles", &lists.particles)?;
        let batch_ends = Buffer::from_slice(device, "cloth.body_batches", &lists.batch_ends)?;
        let constraints = Buffer::from_slice(device, "cloth.body_constraints", &lists.constraints)?;
        let compliances = Buffer::from_slice(device, "cloth.body_compliances", &lists.compliances)?;
        let hinges = Buffer::from_slice(device, "cloth.body_hinges", &lists.hinges)?;
        let lambdas = size_of::<f32>() as u64 * u64::from(lists.lambda_count);
        let lambdas = Buffer::zeroed(device, "cloth.body_lambdas", lambdas)?;
        let pass = Kernel::specialised(device, &shaders::PBD_BODY, &constants)?.bind(&[
            ("Positions", buffers.positions.into()),
            ("PreviousPositions", buffers.previous_positions.into()),
            ("Velocities", buffers.velocities.into()),
            ("PbdParameters", buffers.parameters.into()),
            ("Forces", buffers.forces.into()),
            ("Bodies", (&bodies).into()),
            ("BodyParticles", (&particles).into()),
            ("BodyBatches", (&batch_ends).into()),
            ("BodyConstraints", (&constraints).into()),
            ("BodyCompliances", (&compliances).into()),
            ("BodyHinges", (&hinges).into()),
            ("BodyLambdas", (&lambdas).into()),
            ("FlutterPhases", buffers.flutter_phases.into()),
        ])?;
        Ok(Self { most_substeps, invocations: lists.bodies.len() as u32 * local_size, pass })
    }

    /// Records a dispatch.
    pub(super) fn record(&self, recorder: &mut Recorder<'_>, push: &FusedPush) -> engine::Result<()> {
        recorder.dispatch(&self.pass, push, [self.invocations, 1, 1])
    }

    /// Name of the pass.
    pub(super) fn pass(&self) -> String {
        self.pass.pipeline().name().to_string()
    }
}
