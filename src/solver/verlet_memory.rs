//! Where the `verlet` solver keeps its particles on the device, as they are now and as they were a substep ago.
//!
//! A place is a buffer or an image that can hold where the particles are now.

use glam::Vec4;

use super::external::Place;
use super::{Motion, Particles, VerletStorage};
use crate::engine::{self, Bindings, Buffer, Device, Image, ImageKind, Kernel, Resource};
use crate::model::Grid;
use crate::shaders;

/// The memory of one cloth.
pub(super) enum VerletMemory {
    /// The positions before, now and next take turns.
    Images([Image; 3]),
    /// One or two pairs, each of which has the positions now and before: the next position of a particle takes the place of
    /// the one before.
    Buffers(Vec<Buffer>),
}

impl VerletMemory {
    /// Makes memory for the `particles` of a grid, xyz \[m\] and inverse mass, at rest; buffers in so many `pairs`.
    pub(super) fn new(
        device: &Device,
        storage: VerletStorage,
        pairs: usize,
        grid: &Grid,
        particles: &[Vec4],
    ) -> engine::Result<Self> {
        let name = |place| format!("cloth.positions[{place}]");
        let image = |place| {
            let image = Image::new(device, &name(place), ImageKind::Storage, [grid.columns, grid.rows])?;
            image.write(&flagged(particles))?;
            engine::Result::Ok(image)
        };
        let buffer = |place| Buffer::from_slice(device, &name(place), particles);
        Ok(match storage {
            VerletStorage::Images => Self::Images([image(0)?, image(1)?, image(2)?]),
            VerletStorage::Buffers => Self::Buffers((0..2 * pairs).map(buffer).collect::<engine::Result<_>>()?),
        })
    }

    /// Where the particles were a substep ago, when they are in `place`.
    pub(super) fn previous(&self, place: usize) -> usize {
        match self {
            Self::Images(_) => (place + 2) % 3,
            Self::Buffers(_) => place ^ 1,
        }
    }

    /// Where they are a substep later.
    pub(super) fn next(&self, place: usize) -> usize {
        match self {
            Self::Images(_) => (place + 1) % 3,
            Self::Buffers(_) => place ^ 1,
        }
    }

    /// A place, for what acts on the particles from outside.
    pub(super) fn place(&self, place: usize, particle_mass: f32) -> Place<'_> {
        let previous = self.previous(place);
        match self {
            Self::Images(images) => {
                Place::Images { current: &images[place], previous: &images[previous], particle_mass }
            }
            Self::Buffers(buffers) => {
                Place::PreviousBuffers { current: &buffers[place], previous: &buffers[previous], particle_mass }
            }
        }
    }

    /// Every place.
    pub(super) fn places(&self, particle_mass: f32) -> Vec<Place<'_>> {
        let count = match self {
            Self::Images(images) => images.len(),
            Self::Buffers(buffers) => buffers.len(),
        };
        (0..count).map(|place| self.place(place, particle_mass)).collect()
    }

    /// The pass of a substep from each place, with the resources that all of them have.
    pub(super) fn bind_steps(
        &self,
        device: &Device,
        has_colliders: bool,
        has_forces: u32,
        shared: &[(&'static str, Resource<'_>)],
    ) -> engine::Result<Vec<Bindings<Kernel>>> {
        let constants = [has_colliders.into(), has_forces];
        match self {
            Self::Images(images) => {
                let kernel = Kernel::specialised(device, &shaders::VERLET_STEP, &constants)?;
                let bind = |place: usize| {
                    let places = [self.previous(place), place, self.next(place)].map(|place| (&images[place]).into());
                    let names = ["u_PrevPos", "u_CurrPos", "u_NextPos"];
                    let moved = names.into_iter().zip(places);
                    kernel.bind(&moved.chain(shared.iter().copied()).collect::<Vec<_>>())
                };
                (0..images.len()).map(bind).collect()
            }
            Self::Buffers(buffers) => {
                let kernel = Kernel::specialised(device, &shaders::VERLET_STEP_BUFFER, &constants)?;
                let bind = |place: usize| {
                    let places = [place, self.previous(place)].map(|place| (&buffers[place]).into());
                    let moved = ["Positions", "PreviousPositions"].into_iter().zip(places);
                    kernel.bind(&moved.chain(shared.iter().copied()).collect::<Vec<_>>())
                };
                (0..buffers.len()).map(bind).collect()
            }
        }
    }

    /// Where they are after several substeps in one dispatch: in the other pair.
    pub(super) fn in_other_pair(place: usize) -> usize {
        place ^ 2
    }

    /// The pass of several substeps from each place, with the resources that all of them have; none for images.
    pub(super) fn bind_tiles(
        &self,
        kernel: &Kernel,
        shared: &[(&'static str, Resource<'_>)],
    ) -> engine::Result<Vec<Bindings<Kernel>>> {
        let Self::Buffers(buffers) = self else { return Ok(Vec::new()) };
        let bind = |place: usize| {
            let next = Self::in_other_pair(place);
            let names = ["Positions", "PreviousPositions", "NextPositions", "NextPreviousPositions"];
            let places = [place, self.previous(place), next, self.previous(next)].map(|place| (&buffers[place]).into());
            kernel.bind(&names.into_iter().zip(places).chain(shared.iter().copied()).collect::<Vec<_>>())
        };
        (0..buffers.len()).map(bind).collect()
    }

    /// Every place, as [`Solver::particles`](super::Solver::particles).
    pub(super) fn particles(&self) -> Vec<Particles> {
        match self {
            Self::Images(images) => images.iter().cloned().map(Particles::Image).collect(),
            Self::Buffers(buffers) => buffers.iter().cloned().map(Particles::Buffer).collect(),
        }
    }

    /// How fast those in each place go, as [`Solver::motions`](super::Solver::motions).
    pub(super) fn motions(&self) -> Vec<Motion> {
        match self {
            Self::Images(images) => {
                let before = |place: usize| images[self.previous(place)].clone();
                (0..images.len()).map(before).map(Motion::PreviousImage).collect()
            }
            Self::Buffers(buffers) => {
                let before = |place: usize| buffers[self.previous(place)].clone();
                (0..buffers.len()).map(before).map(Motion::Previous).collect()
            }
        }
    }

    /// Sets one place, xyz \[m\] and inverse mass.
    pub(super) fn write(&self, place: usize, particles: &[Vec4]) -> engine::Result<()> {
        match self {
            Self::Images(images) => images[place].write(&flagged(particles)),
            Self::Buffers(buffers) => buffers[place].write(particles),
        }
    }

    /// Waits for the device and reads one place, xyz \[m\].
    pub(super) fn read(&self, place: usize) -> engine::Result<Vec<Vec4>> {
        match self {
            Self::Images(images) => images[place].read(),
            Self::Buffers(buffers) => buffers[place].read(),
        }
    }
}

/// Document 000 keeps a pin flag where the other solvers keep the inverse mass. Flags turn back into inverse masses, of 0
/// and 1, in the same way.
pub(super) fn flagged(particles: &[Vec4]) -> Vec<Vec4> {
    particles.iter().map(|particle| particle.with_w(if particle.w == 0.0 { 1.0 } else { 0.0 })).collect()
}
