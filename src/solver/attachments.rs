//! The attachments of a simulation on the device, shared by every solver.

use glam::Vec4;

use super::external::Place;
use super::{Step, span_of};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{self, AttachPush, AttachedParticle};
use crate::model::{self, Attachment, Jump};
use crate::shaders;

/// Most attachments of a simulation: what one update of a buffer in the stream can carry.
pub const MOST_ATTACHMENTS: usize = 65_536 / size_of::<layout::Attachment>();

/// Attachments, moved from step to step, with the pass that moves their particles.
pub(super) struct Attachments {
    list: Vec<Attachment>,
    /// What `attached` holds at the start.
    particles: Vec<AttachedParticle>,
    attached: Buffer,
    /// Places in `attached` of particles that are let go by hand before the next step.
    pending: Vec<usize>,
    /// Whether any has been since the last reset.
    has_let_go: bool,
    /// Where their paths have been carried.
    pub(super) frame: Option<Jump>,
    buffer: Buffer,
    /// What `buffer` holds once the steps recorded so far have run, kept so that the next one takes no memory.
    recorded: Vec<layout::Attachment>,
    /// One for each place where the solver keeps its particles.
    places: Vec<Bindings<Kernel>>,
}

impl Attachments {
    /// Puts attachments on the device; none where the list is empty.
    ///
    /// # Panics
    /// Where there are more than [`MOST_ATTACHMENTS`].
    pub(super) fn new(device: &Device, list: &[Attachment], places: &[Place<'_>]) -> engine::Result<Option<Self>> {
        assert!(list.len() <= MOST_ATTACHMENTS, "at most {MOST_ATTACHMENTS} attachments");
        let particles = attached_particles(list);
        if particles.is_empty() {
            return Ok(None);
        }
        let attached = Buffer::from_slice(device, "attachments.particles", &particles)?;
        let buffer = Buffer::zeroed(
            device,
            "attachments.list",
            size_of::<layout::Attachment>() as u64 * (list.len() as u64 + 1),
        )?;
        let (held, moving) = (("AttachedParticles", (&attached).into()), ("Attachments", (&buffer).into()));
        let bind = |place: &Place<'_>| match *place {
            Place::Buffers { positions, velocities } => Kernel::new(device, &shaders::ATTACH_MOVE)?.bind(&[
                ("Positions", positions.into()),
                ("Velocities", velocities.into()),
                held,
                moving,
            ]),
            Place::PreviousBuffers { current, .. } => {
                let kernel = Kernel::new(device, &shaders::ATTACH_MOVE_PREVIOUS)?;
                kernel.bind(&[("Positions", current.into()), held, moving])
            }
            Place::Images { current, .. } => {
                Kernel::new(device, &shaders::ATTACH_MOVE_IMAGE)?.bind(&[("u_Positions", current.into()), held, moving])
            }
        };
        let places = places.iter().map(bind).collect::<engine::Result<_>>()?;
        Ok(Some(Self {
            list: list.to_vec(),
            particles,
            attached,
            pending: Vec::new(),
            has_let_go: false,
            frame: None,
            buffer,
            recorded: Vec::new(),
            places,
        }))
    }

    /// Lets a particle go before the next step, if one of them carries it.
    pub(super) fn let_go(&mut self, particle: u32) {
        self.pending.extend(place_of(&self.particles, particle));
    }

    /// Takes up again what has been let go, and waits until that is done.
    pub(super) fn reset(&mut self) -> engine::Result<()> {
        self.pending.clear();
        if std::mem::take(&mut self.has_let_go) { self.attached.write(&self.particles) } else { Ok(()) }
    }

    /// Records where the attachments are during the step that starts at `time` \[s\].
    pub(super) fn record(&mut self, recorder: &mut Recorder<'_>, time: f64, step: &Step) -> engine::Result<()> {
        for place in self.pending.drain(..) {
            self.has_let_go = true;
            let offset = place * size_of::<AttachedParticle>() + std::mem::offset_of!(AttachedParticle, attachment);
            recorder.update_from(&self.attached, offset as u64, &[self.list.len() as u32])?;
        }
        self.recorded.clear();
        self.recorded.extend(attachments_during(&self.list, time, step, self.frame));
        recorder.update(&self.buffer, &self.recorded)
    }

    /// Records the pass that moves the particles in place `place` to where they are at the end of a substep.
    pub(super) fn record_substep(
        &self,
        recorder: &mut Recorder<'_>,
        place: usize,
        substep: u32,
        step: &Step,
    ) -> engine::Result<()> {
        let push = attach_push(self.particles.len() as u32, substep, step);
        recorder.dispatch_each(&self.places[place], &push, push.attached_count)
    }

    /// As [`release_past`].
    pub(super) fn release_past(&self, time: f64, step: &Step, particles: &mut [Vec4]) {
        release_past(&self.list, time, step, particles);
    }

    /// Name of the pass.
    pub(super) fn pass(&self) -> String {
        self.places[0].pipeline().name().to_string()
    }
}

/// What the kernel reads of the particles of all attachments.
pub(super) fn attached_particles(list: &[Attachment]) -> Vec<AttachedParticle> {
    let attached = |(attachment, number): (&Attachment, u32)| {
        let particle = move |particle: &model::AttachedParticle| AttachedParticle {
            place: particle.place.extend(particle.inverse_mass),
            index: particle.index,
            attachment: number,
            padding: [0; 2],
        };
        attachment.particles.iter().map(particle).collect::<Vec<_>>()
    };
    list.iter().zip(0..).flat_map(attached).collect()
}

/// Where in `particles` a particle is, if it is.
pub(super) fn place_of(particles: &[AttachedParticle], particle: u32) -> Option<usize> {
    particles.iter().position(|attached| attached.index == particle)
}

/// What the kernel reads of attachments during the step that starts at `time` \[s\]: the attachments, and behind them one
/// that has let go, for particles that hands have taken. Their paths have been carried to `frame`, if they have been.
pub(super) fn attachments_during(
    list: &[Attachment],
    time: f64,
    step: &Step,
    frame: Option<Jump>,
) -> impl Iterator<Item = layout::Attachment> {
    let (substep_dt, substeps) = (f64::from(step.dt) / f64::from(step.substeps), step.substeps);
    let has_let_go = layout::Attachment { release_substep: i32::MIN, ..Default::default() };
    list.iter().map(move |attachment| attachment.during(time, substep_dt, substeps, frame)).chain([has_let_go])
}

/// Gives those of `particles` that attachments have let go before `time` \[s\] their inverse mass in w.
pub(super) fn release_past(list: &[Attachment], time: f64, step: &Step, particles: &mut [Vec4]) {
    for (attachment, during) in list.iter().zip(attachments_during(list, time, step, None)) {
        for particle in attachment.particles.iter().filter(|_| during.release_substep < 0) {
            particles[particle.index as usize].w = particle.inverse_mass;
        }
    }
}

/// The push constants of a substep, for so many attached particles.
pub(super) fn attach_push(attached_count: u32, substep: u32, step: &Step) -> AttachPush {
    let [start, end] = span_of(substep, step.substeps);
    AttachPush { attached_count, substep: substep as i32, start, end, substep_dt: step.substep_dt() }
}
