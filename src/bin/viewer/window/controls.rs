//! What keys and panels do to what runs in a window.

use std::time::Instant;

use anyhow::Result;
use tautline::render::Shown;
use tautline::scene::{Effect, Scene};
use tautline::solver::{Backup, Clock, ConstraintSolver, State};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::{Key, NamedKey};

use super::hands::Hands;
use super::{MAX_STEPS, View, framing};
use crate::arguments::{Backend, VIEWS};
use crate::panels::{Command, Facts};
use crate::run::Run;
use crate::source::Source;

impl View {
    pub(super) fn key(&mut self, event_loop: &ActiveEventLoop, key: &Key, repeat: bool) -> Result<()> {
        match key {
            // A key that is held down steps on, as fast as frames are drawn; the others act once.
            Key::Character(text) if text.eq_ignore_ascii_case("n") => {
                if !repeat || self.steps_due == 0 {
                    self.step_once();
                }
            }
            _ if repeat => return Ok(()),
            Key::Named(NamedKey::Escape) => event_loop.exit(),
            Key::Named(NamedKey::Space) => self.pause(),
            Key::Named(NamedKey::Tab) => self.panels.toggle(),
            Key::Named(NamedKey::F1) => self.panels.toggle_keys(),
            Key::Named(NamedKey::F5) => self.reload(),
            #[cfg(feature = "capture")]
            Key::Named(NamedKey::F12) => self.capture_next_frame(),
            Key::Character(text) if text.eq_ignore_ascii_case("r") => self.reset()?,
            Key::Character(text) if text.eq_ignore_ascii_case("j") => self.switch_constraint_solver(),
            Key::Character(text) if text.eq_ignore_ascii_case("v") => self.change_view(),
            Key::Character(text) if text.eq_ignore_ascii_case("p") => self.take_picture(),
            Key::Character(text) if text.eq_ignore_ascii_case("m") => self.toggle_recording(),
            Key::Character(text) if text.eq_ignore_ascii_case("s") => self.save_state(),
            Key::Character(text) if matches!(text.as_str(), "+" | "-") => self.elongate(text == "+"),
            _ => return Ok(()),
        }
        self.changed = true;
        self.title_due = Instant::now();
        Ok(())
    }

    /// Goes on to the next view, and from the last to the first.
    fn change_view(&mut self) {
        let place = VIEWS.iter().position(|(shown, _)| *shown == self.shown).unwrap_or_default();
        self.show(VIEWS[(place + 1) % VIEWS.len()].0);
    }

    fn switch_constraint_solver(&mut self) {
        self.scene.constraint_solver = match self.scene.constraint_solver {
            ConstraintSolver::GaussSeidel => ConstraintSolver::Jacobi,
            ConstraintSolver::Jacobi => ConstraintSolver::GaussSeidel,
        };
        self.apply();
    }

    /// Makes the constraints longer or shorter by 1 % of their rest lengths, within the range of the scene's key.
    fn elongate(&mut self, longer: bool) {
        let percent = (100.0 * self.scene.elongation).round() + if longer { 1.0 } else { -1.0 };
        self.scene.elongation = percent.clamp(10.0, 1000.0) / 100.0;
        self.apply();
    }

    /// Gives the solver and the clock the settings of the scene that they take while it runs.
    fn apply(&mut self) {
        if let Some(settings) = self.run.simulation.pbd_settings_mut() {
            *settings = self.scene.pbd_settings();
        }
        self.clock.set_time_scale(self.scene.time_scale);
        self.attempt(Self::watch_anew);
    }

    fn pause(&mut self) {
        self.paused = !self.paused;
        self.steps_due = 0;
    }

    fn step_once(&mut self) {
        self.paused = true;
        self.steps_due += 1;
    }

    fn reset(&mut self) -> Result<()> {
        self.take_steps_of_scene()?;
        self.hands.let_go(&mut self.run.simulation);
        self.run.reset()?;
        self.backup.forget();
        self.clock.reset();
        self.kept = false;
        self.steps_due = 0;
        Ok(())
    }

    /// Goes to a frame of the cache that is played back, if one is.
    fn seek(&mut self, frame: u32) -> Result<()> {
        let Some(playback) = &self.scene.playback else { return Ok(()) };
        let state = State { time: playback.time_of(frame), ..self.run.simulation.state()? };
        self.run.go_on_from(&state)?;
        self.backup.forget();
        self.clock.reset();
        self.kept = false;
        self.steps_due = 0;
        Ok(())
    }

    fn show(&mut self, shown: Shown) {
        self.shown = shown;
        self.drawing.show(shown);
    }

    /// Lays the panels out and does what was asked for in them.
    pub(super) fn update_panels(&mut self) -> Result<()> {
        let (dropped, paused, shown, present) = (self.clock.dropped(), self.paused, self.shown, self.present);
        let outputs = &self.outputs;
        let facts = Facts { scene: &self.scene, run: &self.run, dropped, paused, shown, present, outputs };
        for command in self.panels.update(&self.window, &facts)? {
            self.changed = true;
            self.title_due = Instant::now();
            match command {
                Command::Reset => self.reset()?,
                Command::Pause => self.pause(),
                Command::Step => self.step_once(),
                Command::Seek(frame) => self.seek(frame)?,
                Command::Show(shown) => self.show(shown),
                Command::TakePicture => self.take_picture(),
                Command::ToggleRecording => self.toggle_recording(),
                Command::SaveState => self.save_state(),
                Command::RecordAs(format) => self.outputs.format = format,
                Command::Change(scene) => {
                    self.attempt(|view| view.change(*scene));
                }
                Command::Compute(backend) => {
                    let scene = self.scene.clone();
                    self.attempt(|view| view.go_on(scene, backend));
                }
                Command::StartPreset(name) => self.start_from(Source::plain(name)),
            }
        }
        Ok(())
    }

    /// Does what may fail; then what runs goes on as before, the window tells why, and this is false.
    pub(super) fn attempt(&mut self, act: impl FnOnce(&mut Self) -> Result<()>) -> bool {
        let result = act(self);
        let done = result.is_ok();
        match result {
            Ok(()) => self.panels.take_back(),
            Err(error) => self.panels.tell(format!("{error:#}")),
        }
        done
    }

    /// Goes on with a scene in which some keys have changed: from where the body is now, if it is still the same body.
    fn change(&mut self, mut scene: Scene) -> Result<()> {
        match self.scene.effect_of(&scene) {
            Effect::None | Effect::Setting => {
                self.scene = scene;
                self.apply();
                Ok(())
            }
            Effect::Solver => self.go_on(scene, self.run.backend()),
            Effect::Body => {
                scene.forget_files();
                self.start(scene)
            }
        }
    }

    /// Goes on from the state of what runs, with another solver or backend.
    pub(super) fn go_on(&mut self, scene: Scene, backend: Backend) -> Result<()> {
        // What is held goes along, and the hands do not.
        self.hands.let_go(&mut self.run.simulation);
        let (run, state) = self.run.going_on(&scene, backend)?;
        self.replace(run, scene, Some(state))
    }

    pub(super) fn start(&mut self, scene: Scene) -> Result<()> {
        let run = self.run.starting(&scene)?;
        self.replace(run, scene, None)?;
        self.outputs.end_video();
        Ok(())
    }

    /// Goes on with another run, which has come from `state`, if from any.
    fn replace(&mut self, run: Run, scene: Scene, state: Option<State>) -> Result<()> {
        let (hands, backup) = (Hands::new(&run)?, Backup::new(&run.device, &run.simulation, state)?);
        self.drawing = run.view(self.swapchain.format(), self.shown)?;
        (self.hands, self.backup) = (hands, backup);
        if run.simulation.step().dt != self.run.simulation.step().dt {
            // Its pictures come at a fixed rate of simulated time.
            self.outputs.end_video();
        }
        if run.room != self.run.room {
            let size = [self.size.width, self.size.height];
            self.camera = framing(&run, size, self.panels.covered(self.size.width));
        }
        let before = std::mem::replace(&mut self.run, run);
        self.run.continue_timeline(before);
        self.clock = Clock::new(self.run.simulation.step().dt, scene.time_scale, MAX_STEPS);
        self.kept = false;
        self.steps_due = 0;
        self.panels.started(&scene);
        self.scene = scene;
        Ok(())
    }
}
