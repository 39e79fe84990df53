//! A scene that runs for a bake, on the device or on the CPU.

use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::Result;
use tautline::engine::{Device, Frames, Staging};
use tautline::glam::Vec3;
use tautline::model::Body;
use tautline::scene::{Scene, Watching};
use tautline::solver::{CpuGuard, CpuSimulation, Guard, Particles, Return, Simulation, StateMismatch, Verdict};

use crate::checkpoint::Kept;
use crate::output;

/// How many frames are on their way from the steps to the file at most: one is simulated, one read back and one
/// written.
pub const FRAMES_IN_FLIGHT: usize = 3;

pub struct Runner {
    scene: Scene,
    watching: Watching,
    by: By,
}

enum By {
    Gpu(Box<OnDevice>),
    Cpu(Box<OnCpu>),
}

struct OnCpu {
    simulation: CpuSimulation,
    guard: CpuGuard,
    /// What the guard said last.
    verdict: Verdict,
}

struct OnDevice {
    // Frames wait for the device when they are dropped, so they come first.
    frames: Frames,
    simulation: Simulation,
    guard: Guard,
    device: Device,
    /// Memory to read back to, which comes back from who has read it.
    free: Receiver<Staging>,
    give_back: Sender<Staging>,
}

/// Where the particles of a frame are.
pub enum Frame {
    /// On their way from the device.
    Copied { staging: Lent, particles: Particles },
    /// \[m\]
    Places(Vec<Vec3>),
}

/// Memory that goes back to where it came from, whether it has been read or not.
pub struct Lent(Staging, Sender<Staging>);

impl Drop for Lent {
    fn drop(&mut self) {
        // Nobody takes it at the end.
        let _ = self.1.send(self.0.clone());
    }
}

impl Frame {
    /// Waits until they are there \[m\]. Shape \[particle_count\].
    pub fn read(self) -> Result<Vec<Vec3>> {
        match self {
            Self::Copied { staging, particles } => Ok(particles.places(&staging.0.read::<f32>()?)),
            Self::Places(places) => Ok(places),
        }
    }
}

impl Runner {
    /// Starts a scene, on the CPU where there is no device.
    pub fn start(scene: &Scene, device: Option<&Device>) -> Result<Self> {
        let watching = Watching::of(scene);
        let by = match device {
            None => {
                let mut simulation = seen(scene, scene.cpu_simulation()?, CpuSimulation::set_camera);
                let guard = watching.cpu_guard(&mut simulation);
                By::Cpu(Box::new(OnCpu { guard, simulation, verdict: Verdict::Good }))
            }
            Some(device) => {
                let mut simulation = seen(scene, scene.simulation(device)?, Simulation::set_camera);
                let (give_back, free) = channel();
                for _ in 0..FRAMES_IN_FLIGHT {
                    // The other end is here.
                    let _ = give_back.send(simulation.particles()[0].staging(device, "bake.positions")?);
                }
                let mut frames = Frames::new(device, 2)?;
                frames.stop_timing()?;
                let guard = watching.guard(device, &mut simulation)?;
                By::Gpu(Box::new(OnDevice { frames, simulation, guard, device: device.clone(), free, give_back }))
            }
        };
        Ok(Self { scene: scene.clone(), watching, by })
    }

    pub fn body(&self) -> &Body {
        match &self.by {
            By::Gpu(run) => run.simulation.body(),
            By::Cpu(run) => run.simulation.body(),
        }
    }

    /// Goes on from what a checkpoint has, which may have been tampered with.
    pub fn go_on_from(&mut self, kept: Kept) -> Result<()> {
        let Kept { state, memory } = kept;
        let (step, factor) = (memory.step(), memory.factor());
        if factor > self.scene.most_factor() {
            return Err(StateMismatch::Lists.into());
        }
        match &self.by {
            By::Gpu(run) => run.simulation.check(&state)?,
            By::Cpu(run) => run.simulation.check(&state)?,
        }
        match &mut self.by {
            _ if factor > 1 => self.return_to(&Return { step, state, factor })?,
            By::Gpu(run) => run.simulation.go_on_from(&state)?,
            By::Cpu(run) => run.simulation.go_on_from(&state),
        }
        match &mut self.by {
            By::Gpu(run) => run.guard.recall(memory, &run.simulation)?,
            By::Cpu(run) => run.guard.recall(memory, &run.simulation)?,
        }
        Ok(())
    }

    /// Waits for the device and says what the run can be gone on with from here.
    pub fn kept(&self) -> Result<Kept> {
        Ok(match &self.by {
            By::Gpu(run) => Kept { state: run.simulation.state()?, memory: run.guard.memory(&run.simulation)? },
            By::Cpu(run) => Kept { state: run.simulation.state(), memory: run.guard.memory() },
        })
    }

    /// Whether the run may go back to where it has been.
    pub fn goes_back(&self) -> bool {
        self.watching.settings().may_go_back()
    }

    /// Runs up to so many steps from the start on, the last of which is that of a frame; on a device they are only submitted. On
    /// the CPU it ends where something is wrong.
    pub fn advance(&mut self, to: u64) -> Result<()> {
        match &mut self.by {
            By::Gpu(run) => {
                while run.guard.steps() < to {
                    let mut recorder = run.frames.begin()?;
                    run.simulation.record(&mut recorder)?;
                    let is_last = run.guard.steps() + 1 == to;
                    run.guard.look(&mut recorder, &mut run.simulation, is_last)?;
                    run.guard.close(&mut recorder)?;
                    recorder.submit()?;
                    run.frames.take_timings();
                }
            }
            By::Cpu(_) => return self.advance_on_cpu(to),
        }
        Ok(())
    }

    fn advance_on_cpu(&mut self, to: u64) -> Result<()> {
        while let By::Cpu(run) = &mut self.by
            && run.guard.steps() < to
        {
            drop(run.simulation.advance());
            let is_last = run.guard.steps() + 1 == to;
            let verdict = run.guard.look(&mut run.simulation, is_last);
            match verdict {
                Verdict::Good => {}
                Verdict::Tell(_) => self.say(&verdict),
                Verdict::Relax(ref to) => {
                    self.say(&verdict);
                    self.return_to(to)?;
                }
                Verdict::Stop(_) | Verdict::GoBack(..) => {
                    run.verdict = verdict;
                    break;
                }
            }
        }
        Ok(())
    }

    /// What the looks at all steps but the last `in_flight` mean, which is said where something is wrong.
    pub fn check(&mut self, in_flight: u32) -> Result<Verdict> {
        let verdict = match &mut self.by {
            By::Gpu(run) => run.guard.check(&mut run.simulation, in_flight as usize)?,
            By::Cpu(run) => std::mem::replace(&mut run.verdict, Verdict::Good),
        };
        self.say(&verdict);
        Ok(verdict)
    }

    /// Says what a guard has said.
    fn say(&mut self, verdict: &Verdict) {
        let body = match &self.by {
            By::Gpu(run) => run.simulation.body(),
            By::Cpu(run) => run.simulation.body(),
        };
        let text = self.watching.note(verdict, body);
        text.iter().for_each(|text| output::tell(&format!("watch: {text}")));
    }

    /// Goes on from where the guard says.
    pub fn return_to(&mut self, to: &Return) -> Result<()> {
        let scene = self.scene.divided(to.factor);
        match &mut self.by {
            By::Gpu(run) => {
                let device = run.device.clone();
                run.simulation = seen(&scene, scene.simulation(&device)?, Simulation::set_camera);
                run.simulation.go_on_from(&to.state)?;
                run.guard.resume(&mut run.simulation)?;
            }
            By::Cpu(run) => {
                run.simulation = seen(&scene, scene.cpu_simulation()?, CpuSimulation::set_camera);
                run.simulation.go_on_from(&to.state);
                run.guard.resume(&mut run.simulation);
            }
        }
        Ok(())
    }

    /// Where the particles are now; on a device they are read back while the next steps run. None once nobody reads any
    /// more.
    pub fn frame(&mut self) -> Result<Option<Frame>> {
        let run = match &mut self.by {
            By::Gpu(run) => run,
            By::Cpu(run) => {
                let places = run.simulation.positions().iter().map(|position| position.truncate()).collect();
                return Ok(Some(Frame::Places(places)));
            }
        };
        let Ok(staging) = run.free.recv() else { return Ok(None) };
        let particles = run.simulation.particles()[run.simulation.current()].clone();
        let mut recorder = run.frames.begin()?;
        particles.download(&mut recorder, &staging)?;
        recorder.submit()?;
        Ok(Some(Frame::Copied { staging: Lent(staging, run.give_back.clone()), particles }))
    }
}

/// A simulation whose ropes are coarser in the distance only where the scene says from where they are seen.
fn seen<T>(scene: &Scene, mut simulation: T, set_camera: impl Fn(&mut T, Vec3)) -> T {
    scene.rope_lod_camera.into_iter().for_each(|camera| set_camera(&mut simulation, camera));
    simulation
}
