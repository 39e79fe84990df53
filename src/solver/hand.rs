//! What hands do to a cloth on the device: one that pulls, and those that pin particles and let them go.

use glam::Vec4;

use super::external::Place;
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{GripParticle, PinPush};
use crate::model::{Grip, MOST_GRIPPED};
use crate::shaders;

/// Bytes of a particle's position, and where in it its inverse mass lies.
const POSITION: u64 = size_of::<Vec4>() as u64;
const INVERSE_MASS: u64 = 3 * size_of::<f32>() as u64;

/// The hands on one cloth.
pub(super) struct Hand {
    grip: Option<Grip>,
    grip_particles: Buffer,
    /// What `grip_particles` holds once the steps recorded so far have run.
    recorded: Vec<GripParticle>,
    /// Particles whose inverse masses \[1/kg\] change with the next recording.
    pending: Vec<(u32, f32)>,
    /// One for each place where the solver keeps its particles.
    places: Vec<HandPlace>,
}

struct HandPlace {
    pull: Bindings<Kernel>,
    pin: Pin,
}

/// How particles in a place are pinned.
enum Pin {
    /// By their inverse masses.
    Buffer(Buffer),
    /// By a pass that sets their flags.
    Image(Bindings<Kernel>),
}

impl Hand {
    pub(super) fn new(device: &Device, places: &[Place<'_>]) -> engine::Result<Self> {
        let bytes = (MOST_GRIPPED * size_of::<GripParticle>()) as u64;
        let grip_particles = Buffer::zeroed(device, "hand.grip_particles", bytes)?;
        let held = ("GripParticles", (&grip_particles).into());
        let bind = |place: &Place<'_>| {
            Ok(match *place {
                Place::Buffers { positions, velocities } => HandPlace {
                    pull: Kernel::new(device, &shaders::HAND_PULL)?.bind(&[
                        ("Positions", positions.into()),
                        ("Velocities", velocities.into()),
                        held,
                    ])?,
                    pin: Pin::Buffer(positions.clone()),
                },
                Place::PreviousBuffers { current, previous, .. } => HandPlace {
                    pull: Kernel::new(device, &shaders::HAND_PULL_PREVIOUS)?.bind(&[
                        ("Positions", current.into()),
                        ("PreviousPositions", previous.into()),
                        held,
                    ])?,
                    pin: Pin::Buffer(current.clone()),
                },
                Place::Images { current, previous, .. } => HandPlace {
                    pull: Kernel::new(device, &shaders::HAND_PULL_IMAGE)?.bind(&[
                        ("u_CurrPos", current.into()),
                        ("u_PrevPos", previous.into()),
                        held,
                    ])?,
                    pin: Pin::Image(
                        Kernel::new(device, &shaders::HAND_PIN_IMAGE)?.bind(&[("u_Positions", current.into())])?,
                    ),
                },
            })
        };
        let places = places.iter().map(bind).collect::<engine::Result<_>>()?;
        Ok(Self { grip: None, grip_particles, recorded: Vec::new(), pending: Vec::new(), places })
    }

    pub(super) fn set_grip(&mut self, grip: Option<Grip>) {
        self.grip = grip;
    }

    pub(super) fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) {
        self.pending.push((particle, inverse_mass));
    }

    /// Whether a hand pulls.
    pub(super) fn pulls(&self) -> bool {
        self.grip.is_some()
    }

    /// Lets go, and forgets what was to be pinned.
    pub(super) fn reset(&mut self) {
        self.grip = None;
        self.pending.clear();
    }

    /// Records what has been pinned and let go of the particles in place `place`.
    pub(super) fn record_pins(&mut self, recorder: &mut Recorder<'_>, place: usize) -> engine::Result<()> {
        for (index, inverse_mass) in self.pending.drain(..) {
            match &self.places[place].pin {
                Pin::Buffer(positions) => {
                    recorder.update_from(positions, INVERSE_MASS + POSITION * u64::from(index), &[inverse_mass])?;
                }
                Pin::Image(pin) => {
                    let push = PinPush { index, flag: if inverse_mass == 0.0 { 1.0 } else { 0.0 } };
                    recorder.dispatch(pin, &push, [1, 1, 1])?;
                }
            }
        }
        Ok(())
    }

    /// Records which particles the hand that pulls has, where they have changed before a step.
    pub(super) fn record_grip(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        if let Some(grip) = self.grip.as_ref().filter(|grip| grip.particles() != self.recorded) {
            recorder.update(&self.grip_particles, grip.particles())?;
            self.recorded = grip.particles().to_vec();
        }
        Ok(())
    }

    /// Records the pull at the start of a substep, where there is one.
    pub(super) fn record_pull(&self, recorder: &mut Recorder<'_>, place: usize, substep_dt: f32) -> engine::Result<()> {
        match &self.grip {
            Some(grip) => recorder.dispatch(&self.places[place].pull, &grip.push(substep_dt), [1, 1, 1]),
            None => Ok(()),
        }
    }
}
