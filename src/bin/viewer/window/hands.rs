//! What the mouse does to what runs: it pulls at particles, drags colliders, cuts, pins and lets go.

use std::collections::VecDeque;

use anyhow::Result;
use tautline::engine::{Recorder, Ticket};
use tautline::glam::{Vec2, Vec3};
use tautline::model::{Blade, Drag, Grip, Ray};
use tautline::render::Camera;
use tautline::solver::{Picker, Simulation};

use crate::run::Run;

/// How far beside a particle the mouse may be to mean it \[points\].
const NEAR: f32 = 8.0;
/// How far the mouse may move between press and release for a click \[points\].
const STILL: f32 = 4.0;
/// How many of its own sizes a body sees a collider be dragged past it in a second, at most.
const DRAG_SPEED: f32 = 2.0;
/// Of how many places of a stroke the trace is shown.
const TRACE: usize = 24;

/// What the left button does, by the keys that are held down with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Pulls at what it meets, and turns the camera where that is nothing.
    #[default]
    Grab,
    /// Cuts along its way.
    Cut,
    /// Pins what it clicks on, or lets it go.
    Pin,
}

/// Where the mouse is, and how the scene is seen.
#[derive(Clone, Copy)]
pub struct Sight {
    pub camera: Camera,
    /// Of the window \[pixels\].
    pub extent: Vec2,
    pub cursor: Vec2,
    /// How many pixels are a point of the display.
    pub pixels_per_point: f32,
}

impl Sight {
    fn ray(&self, place: Vec2) -> Ray {
        self.camera.ray(place, self.extent)
    }
}

/// What the camera is to do, since the mouse has met nothing else.
pub struct Orbit {
    /// Where the button was pressed.
    pub from: Vec2,
    /// Where it was released, if it has been.
    pub released: Option<Vec2>,
}

/// What the mouse has in hand.
#[derive(Default)]
enum Holding {
    #[default]
    Nothing,
    /// Whatever is there, as soon as the device says what.
    Search(Search),
    /// A particle, that far from where the mouse would have it; one that was held goes with the hand, and is held again where
    /// that lets go.
    Particle { grip: Grip, apart: Vec3, was_pinned: bool },
    /// A collider, by a place on it; how far it had been dragged as it was taken \[m\], and how fast it may go \[m/s\].
    Collider { index: usize, place: Vec3, offset: Vec3, speed: f32 },
    /// A blade, drawn as far as `to`.
    Blade { to: Vec2 },
    /// A pin, where the button was pressed.
    Pin { pressed: Vec2 },
}

/// A search for the particle that the mouse means.
struct Search {
    tool: Tool,
    pressed: Vec2,
    ray: Ray,
    /// How far beside a particle the mouse may be to mean it \[pixels\].
    near: f32,
    released: Option<Vec2>,
    /// Of the frame that it is part of, once that is submitted.
    ticket: Option<Ticket>,
}

/// What a button did.
enum Click {
    Press(Tool, Sight),
    Release(Sight),
}

/// The hands of the person at the window.
pub struct Hands {
    picker: Picker,
    holding: Holding,
    /// What came before the device had answered to what came before that.
    later: VecDeque<Click>,
    /// The last places of the stroke that is being cut.
    trace: VecDeque<Vec2>,
}

impl Hands {
    pub fn new(run: &Run) -> Result<Self> {
        let picker = Picker::new(&run.device, &run.simulation)?;
        Ok(Self { picker, holding: Holding::Nothing, later: VecDeque::new(), trace: VecDeque::new() })
    }

    /// Takes hold with a tool.
    pub fn press(&mut self, tool: Tool, simulation: &mut Simulation, sight: &Sight) {
        self.later.push_back(Click::Press(tool, *sight));
        self.catch_up(simulation);
    }

    /// Lets go.
    pub fn release(&mut self, simulation: &mut Simulation, sight: &Sight) {
        self.later.push_back(Click::Release(*sight));
        self.catch_up(simulation);
    }

    /// Does what buttons did, up to where that depends on what the device has not found yet.
    fn catch_up(&mut self, simulation: &mut Simulation) {
        while !matches!(self.holding, Holding::Search(Search { released: Some(_), .. })) {
            match self.later.pop_front() {
                Some(Click::Press(tool, sight)) => {
                    let pressed = sight.cursor;
                    self.holding = match tool {
                        Tool::Grab => Holding::Search(Search::new(tool, &sight)),
                        Tool::Cut => Holding::Blade { to: pressed },
                        Tool::Pin => Holding::Pin { pressed },
                    };
                }
                Some(Click::Release(sight)) => match &mut self.holding {
                    Holding::Search(search) => search.released = Some(sight.cursor),
                    Holding::Pin { pressed } if pressed.distance(sight.cursor) <= STILL * sight.pixels_per_point => {
                        let search = Search::new(Tool::Pin, &sight);
                        self.holding = Holding::Search(Search { released: Some(sight.cursor), ..search });
                    }
                    _ => self.end(simulation),
                },
                None => return,
            }
        }
    }

    /// Ends what is being done, as when the button is released.
    fn end(&mut self, simulation: &mut Simulation) {
        if let Some(particle) = self.unpinned() {
            simulation.set_pinned(particle, true);
        }
        self.holding = Holding::Nothing;
        self.trace.clear();
        simulation.set_grip(None);
        simulation.drag(None);
    }

    /// Lets go of everything, and forgets what was searched for.
    pub fn let_go(&mut self, simulation: &mut Simulation) {
        self.later.clear();
        self.end(simulation);
    }

    /// The particle that is in hand and is to be held again where that lets go.
    pub fn unpinned(&self) -> Option<u32> {
        match &self.holding {
            Holding::Particle { grip, was_pinned: true, .. } => Some(grip.particle()),
            _ => None,
        }
    }

    /// Whether something has to be found out, for which frames have to be drawn.
    pub fn is_searching(&self) -> bool {
        matches!(self.holding, Holding::Search(_))
    }

    /// The last places of the stroke that is being cut \[pixels\].
    pub fn trace(&self) -> impl Iterator<Item = Vec2> {
        self.trace.iter().copied()
    }

    /// Whether the mouse has something in hand other than the camera.
    pub fn hold_something(&self) -> bool {
        !matches!(self.holding, Holding::Nothing)
    }

    /// Moves what is held to where the mouse is. False where it was to be cut and cannot be.
    pub fn follow(&mut self, simulation: &mut Simulation, sight: &Sight) -> Result<bool> {
        match &mut self.holding {
            Holding::Particle { grip, apart, .. } => {
                // In the plane through the hand that is parallel to the picture.
                let hand = grip.target - *apart;
                grip.target = sight.camera.beside(hand, sight.cursor, sight.extent) + *apart;
                simulation.set_grip(Some(grip.clone()));
            }
            Holding::Collider { index, place, offset, speed } => {
                let wanted = sight.camera.beside(*place, sight.cursor, sight.extent) - *place;
                simulation.drag(Some(Drag { collider: *index, offset: *offset + wanted, speed: *speed }));
            }
            Holding::Blade { to } if *to != sight.cursor => {
                let [from, to] = [std::mem::replace(to, sight.cursor), sight.cursor];
                if self.trace.is_empty() {
                    self.trace.push_back(from);
                }
                self.trace.push_back(to);
                if self.trace.len() > TRACE {
                    self.trace.pop_front();
                }
                let [from, to] = [from, to].map(|place| sight.ray(place).direction);
                if let Some(blade) = Blade::seen(sight.camera.position(), from, to) {
                    return Ok(simulation.cut(blade)?);
                }
            }
            _ => {}
        }
        Ok(true)
    }

    /// Records the search for what the mouse means, once.
    pub fn record(&self, recorder: &mut Recorder<'_>, simulation: &Simulation, extent: Vec2) -> Result<()> {
        if let Holding::Search(Search { ticket: None, ray, near, .. }) = &self.holding {
            self.picker.record(recorder, simulation, ray, *near * Camera::pixel_slope(extent.y))?;
        }
        Ok(())
    }

    /// Notes that a frame was submitted, with the search in it.
    pub fn submitted(&mut self, frame: Ticket) {
        if let Holding::Search(Search { ticket, .. }) = &mut self.holding {
            ticket.get_or_insert(frame);
        }
    }

    /// Takes what was found, where the device has got so far, and says what is left for the camera.
    pub fn take_found(&mut self, run: &mut Run, sight: &Sight) -> Result<Option<Orbit>> {
        let Holding::Search(Search { tool, pressed, ray, released, ticket: Some(ticket), .. }) = self.holding else {
            return Ok(None);
        };
        if !run.device.is_done(ticket)? {
            return Ok(None);
        }
        self.holding = Holding::Nothing;
        let (particle, simulation) = (self.picker.read()?, &mut run.simulation);
        let collider = collider_met(simulation, &ray);
        let in_front = collider.filter(|(_, along)| particle.is_none_or(|found| *along < found.position.w));
        let mut orbit = None;
        match (tool, particle, in_front) {
            (Tool::Pin, Some(found), None) => {
                simulation.set_pinned(found.index, !simulation.is_pinned(found.index));
            }
            (Tool::Pin, ..) => {}
            (_, None, None) => orbit = Some(Orbit { from: pressed, released }),
            // Who has let go already has held nothing.
            _ if released.is_some() => {}
            (_, _, Some((index, along))) => {
                let offset = simulation.colliders().offsets()[index];
                let speed = DRAG_SPEED * simulation.body().size();
                self.holding = Holding::Collider { index, place: ray.at(along), offset, speed };
            }
            (_, Some(found), None) => {
                let place = found.position.truncate();
                let apart = place - sight.camera.beside(place, pressed, sight.extent);
                let was_pinned = simulation.is_pinned(found.index);
                if was_pinned {
                    simulation.set_pinned(found.index, false);
                }
                let grip = Grip::soft(simulation.body(), found.index, place);
                self.holding = Holding::Particle { grip, apart, was_pinned };
            }
        }
        self.catch_up(simulation);
        Ok(orbit)
    }
}

impl Search {
    fn new(tool: Tool, sight: &Sight) -> Self {
        let (pressed, near) = (sight.cursor, NEAR * sight.pixels_per_point);
        Self { tool, pressed, ray: sight.ray(pressed), near, released: None, ticket: None }
    }
}

/// The first collider that a ray meets of those that can be dragged, and how far along the ray \[m\].
fn collider_met(simulation: &Simulation, ray: &Ray) -> Option<(usize, f32)> {
    let (colliders, time) = (simulation.colliders(), simulation.time());
    let met = colliders.list().iter().zip(colliders.offsets()).enumerate().filter_map(|(index, (collider, offset))| {
        let mut pose = collider.path.at(time);
        pose.position += *offset;
        Some((index, collider.met(ray, &pose)?))
    });
    met.min_by(|left, right| left.1.total_cmp(&right.1))
}
