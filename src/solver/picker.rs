//! Finds the particle that a person points at, on the device, where the particles are.

use super::{Particles, Simulation};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder, Staging};
use crate::layout::{PickPush, Picked};
use crate::model::Ray;
use crate::shaders;

/// How far from a ray a particle is found, as a share of the mean distance between neighbours: wherever a ray goes through
/// a cell of a grid, one of its corners is as near as 0.71 of its sides.
const NEARNESS: f32 = 0.75;

/// The pass that looks for particles, and the memory that its result comes back in; both are made once.
pub struct Picker {
    particle_count: u32,
    nearness: f32,
    result: Buffer,
    staging: Staging,
    /// One for each place where the solver keeps its particles.
    places: Vec<Bindings<Kernel>>,
}

impl Picker {
    /// Prepares to find the particles of `simulation`.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, simulation: &Simulation) -> engine::Result<Self> {
        let result = Buffer::zeroed(device, "picker.result", size_of::<Picked>() as u64)?;
        let bind = |particles: &Particles| {
            let found = ("Result", (&result).into());
            match particles {
                Particles::Buffer(positions) => {
                    Kernel::new(device, &shaders::PICK_NEAREST)?.bind(&[("Positions", positions.into()), found])
                }
                Particles::Image(image) => {
                    Kernel::new(device, &shaders::PICK_NEAREST_IMAGE)?.bind(&[("u_Positions", image.into()), found])
                }
                Particles::Planes(planes) => {
                    Kernel::new(device, &shaders::PICK_NEAREST_PLANES)?.bind(&[("Planes", planes.into()), found])
                }
            }
        };
        let places = simulation.particles().iter().map(bind).collect::<engine::Result<_>>()?;
        let body = simulation.body();
        Ok(Self {
            particle_count: body.positions().len() as u32,
            nearness: NEARNESS * body.mean_spacing(),
            staging: Staging::readback(device, "picker.result", result.size())?,
            result,
            places,
        })
    }

    /// Records the search for the particle that `ray` means, where the particles are after the steps recorded so far: a
    /// particle is near it that is about half a cell away from it, or `slope` metres for each metre along it. The result
    /// can be read once the recording is done, unless a later one has looked for another.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(
        &self,
        recorder: &mut Recorder<'_>,
        simulation: &Simulation,
        ray: &Ray,
        slope: f32,
    ) -> engine::Result<()> {
        let push = PickPush {
            origin: ray.origin.extend(self.nearness),
            direction: ray.direction.extend(slope),
            particle_count: self.particle_count,
            padding: [0; 3],
        };
        let bindings = &self.places[simulation.current()];
        let [invocations, ..] = bindings.pipeline().local_size();
        recorder.dispatch(bindings, &push, [invocations, 1, 1])?;
        recorder.download(&self.result, &self.staging)
    }

    /// What was found; none where no particle was near. Waits until the last recorded search is done.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn read(&self) -> engine::Result<Option<Picked>> {
        Ok(self.staging.read::<Picked>()?.first().copied().filter(|picked| picked.index != Picked::NONE))
    }
}
