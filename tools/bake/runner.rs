//! A scene that runs for a bake, on the device or on the CPU.

use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::Result;
use tautline::engine::{Device, Frames, Staging};
use tautline::glam::Vec3;
use tautline::model::Body;
use tautline::scene::Scene;
use tautline::solver::{CpuSimulation, Particles, Simulation, State};

/// How many frames are on their way from the steps to the file at most: one is simulated, one read back and one
/// written.
pub const FRAMES_IN_FLIGHT: usize = 3;

pub enum Runner {
    Gpu(Box<OnDevice>),
    Cpu(Box<CpuSimulation>),
}

pub struct OnDevice {
    // Frames wait for the device when they are dropped, so they come first.
    frames: Frames,
    simulation: Simulation,
    /// Memory to read back to, which comes back from who has read it.
    free: Receiver<Staging>,
    give_back: Sender<Staging>,
}

/// Where the particles of a frame are.
pub enum Frame {
    /// On their way from the device.
    Copied { staging: Staging, particles: Particles, give_back: Sender<Staging> },
    /// \[m\]
    Places(Vec<Vec3>),
}

impl Frame {
    /// Waits until they are there \[m\]. Shape \[particle_count\].
    pub fn read(self) -> Result<Vec<Vec3>> {
        match self {
            Self::Copied { staging, particles, give_back } => {
                let places = particles.places(&staging.read::<f32>()?);
                // Nobody takes it at the end.
                let _ = give_back.send(staging);
                Ok(places)
            }
            Self::Places(places) => Ok(places),
        }
    }
}

impl Runner {
    /// Starts a scene, on the CPU where there is no device. Ropes are coarser in the distance only where the scene says
    /// from where they are seen.
    pub fn start(scene: &Scene, device: Option<Device>) -> Result<Self> {
        let Some(device) = device else {
            let mut simulation = scene.cpu_simulation()?;
            scene.rope_lod_camera.into_iter().for_each(|camera| simulation.set_camera(camera));
            return Ok(Self::Cpu(Box::new(simulation)));
        };
        let mut simulation = scene.simulation(&device)?;
        scene.rope_lod_camera.into_iter().for_each(|camera| simulation.set_camera(camera));
        let (give_back, free) = channel();
        for _ in 0..FRAMES_IN_FLIGHT {
            // The other end is here.
            let _ = give_back.send(simulation.particles()[0].staging(&device, "bake.positions")?);
        }
        let mut frames = Frames::new(&device, 2)?;
        frames.stop_timing()?;
        Ok(Self::Gpu(Box::new(OnDevice { frames, simulation, free, give_back })))
    }

    pub fn body(&self) -> &Body {
        match self {
            Self::Gpu(run) => run.simulation.body(),
            Self::Cpu(simulation) => simulation.body(),
        }
    }

    pub fn go_on_from(&mut self, state: &State) -> Result<()> {
        match self {
            Self::Gpu(run) => run.simulation.go_on_from(state)?,
            Self::Cpu(simulation) => simulation.go_on_from(state),
        }
        Ok(())
    }

    /// Waits for the device and says what the body does now.
    pub fn state(&self) -> Result<State> {
        Ok(match self {
            Self::Gpu(run) => run.simulation.state()?,
            Self::Cpu(simulation) => simulation.state(),
        })
    }

    /// Runs steps; on a device they are only submitted.
    pub fn advance(&mut self, steps: u32) -> Result<()> {
        for _ in 0..steps {
            match self {
                Self::Gpu(run) => {
                    let mut recorder = run.frames.begin()?;
                    run.simulation.record(&mut recorder)?;
                    recorder.submit()?;
                    run.frames.take_timings();
                }
                Self::Cpu(simulation) => drop(simulation.advance()),
            }
        }
        Ok(())
    }

    /// Where the particles are now; on a device they are read back while the next steps run. None once nobody reads any
    /// more.
    pub fn frame(&mut self) -> Result<Option<Frame>> {
        let run = match self {
            Self::Gpu(run) => run,
            Self::Cpu(simulation) => {
                let places = simulation.positions().iter().map(|position| position.truncate()).collect();
                return Ok(Some(Frame::Places(places)));
            }
        };
        let Ok(staging) = run.free.recv() else { return Ok(None) };
        let particles = run.simulation.particles()[run.simulation.current()].clone();
        let mut recorder = run.frames.begin()?;
        particles.download(&mut recorder, &staging)?;
        recorder.submit()?;
        Ok(Some(Frame::Copied { staging, particles, give_back: run.give_back.clone() }))
    }
}
