//! The force of moving air on the triangles of a cloth: drag and lift.
//!
//! It is recomputed in each substep, from where the particles are and how fast they go at its start, so that the air
//! slows the cloth as well as moving it; and it never does more in a substep than to let a particle go along with it.

use glam::Vec3;

use super::Step;
use super::external::{Place, Surroundings};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::AirParameters;
use crate::shaders;

/// Air that moves past a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Air {
    /// \[m/s\]
    pub velocity: Vec3,
    /// \[kg/m³\]; 1.2 at sea level.
    pub density: f32,
    /// Coefficient of drag: 1.2 for a plate that stands across the wind.
    pub drag: f32,
    /// Coefficient of lift.
    pub lift: f32,
}

impl Air {
    /// The uniform block of a step; `particle_mass` \[kg\] is 0 where the kernel reads their inverse masses.
    #[must_use]
    pub fn parameters(&self, step: &Step, particle_count: usize, particle_mass: f32) -> AirParameters {
        AirParameters {
            velocity: self.velocity.extend(0.0),
            density: self.density,
            drag: self.drag,
            lift: self.lift,
            substep_dt: step.substep_dt(),
            particle_count: particle_count as u32,
            particle_mass,
            padding: [0; 2],
        }
    }
}

/// The pass that computes the force on each particle.
pub(super) struct AirForces {
    particle_count: u32,
    /// One for each place where the solver keeps its particles.
    places: Vec<Bindings<Kernel>>,
}

impl AirForces {
    /// Lets the air of `surroundings` blow on their triangles; the pass writes `forces`, xyz \[N\], shape \[particle_count\].
    pub(super) fn new(
        device: &Device,
        surroundings: &Surroundings<'_>,
        places: &[Place<'_>],
        forces: &Buffer,
        step: &Step,
    ) -> engine::Result<Self> {
        let triangles = surroundings.triangles.expect("air blows on triangles");
        let particle_count = (forces.size() / size_of::<glam::Vec4>() as u64) as usize;
        let (shader, names, particle_mass) = match places[0] {
            Place::Buffers { .. } => (shaders::AIR_FORCE, ["Positions", "Velocities"], 0.0),
            Place::PreviousBuffers { particle_mass, .. } => {
                (shaders::AIR_FORCE_PREVIOUS, ["Positions", "PreviousPositions"], particle_mass)
            }
            Place::Images { particle_mass, .. } => {
                (shaders::AIR_FORCE_IMAGE, ["u_CurrPos", "u_PrevPos"], particle_mass)
            }
        };
        let parameters = Buffer::from_slice(
            device,
            "air.parameters",
            &[surroundings.air.parameters(step, particle_count, particle_mass)],
        )?;
        let kernel = Kernel::new(device, &shader)?;
        let bind = |place: &Place<'_>| {
            let [now, motion] = place.resources();
            kernel.bind(&[
                (names[0], now),
                (names[1], motion),
                ("ParticleTriangles", (&triangles.around).into()),
                ("Forces", forces.into()),
                ("AirParameters", (&parameters).into()),
            ])
        };
        let places = places.iter().map(bind).collect::<engine::Result<_>>()?;
        Ok(Self { particle_count: particle_count as u32, places })
    }

    /// Records the forces on the particles in place `place`.
    pub(super) fn record(&self, recorder: &mut Recorder<'_>, place: usize) -> engine::Result<()> {
        recorder.dispatch_each(&self.places[place], &(), self.particle_count)
    }

    /// Name of the pass.
    pub(super) fn pass(&self) -> String {
        self.places[0].pipeline().name().to_string()
    }
}
