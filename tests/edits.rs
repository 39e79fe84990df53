//! Random edits of what runs, by every solver on both backends: cuts, pins, hands, dragged colliders, parameters, solvers,
//! backends, resets, and states that are saved and loaded. Whatever their order, a body stays finite and its counts agree, and
//! the same seed ends in the same bits.
//!
//! `TAUTLINE_EDITS` says how many edits each seed has, if it is not [`EDITS`], and `TAUTLINE_EDIT_SEED` takes one seed alone.

mod common;

use std::collections::HashSet;
use std::env;
use std::ops::Range;
use std::path::Path;

use common::{Random, Validated, load, sheet, start};
use glam::{Vec3, Vec4};
use tautline::engine::{Device, Frames};
use tautline::layout::Constraint;
use tautline::model::{Blade, Body, Drag, Grip};
use tautline::scene::{Effect, Scene};
use tautline::solver::{Simulation, State};
use xxhash_rust::xxh3::xxh3_64;

/// How many edits each seed has.
const EDITS: usize = 50;
const SEEDS: [u32; 4] = [1, 2, 3, 5];

/// A sheet that is carried along one edge, over a ball and a floor, with particles so heavy that every solver is stable.
const GRID: &str = "
    preset = \"flag\"
    columns = 9
    rows = 7
    spacing = 0.1
    plane = \"horizontal\"
    pins = [8]
    particle_mass = 0.02
    spring_stiffness = 40
    spring_damping = 0.01

    [[pin]]
    particles = [0, 1]
    path = [[0, 0, 0, 0, 0, 1, 0, 0], [1, 0.1, 0.2, 0, 0, 1, 0, 30], [2, 0, 0, 0, 0, 1, 0, 0]]

    [[pin]]
    particles = [62]
    release = 0.3

    [[collider]]
    shape = \"sphere\"
    radius = 0.15
    position = [0, -0.3, 0.4]
    friction = 0.3

    [[collider]]
    shape = \"plane\"
    position = [0, -0.8, 0]
    friction = 0.5
";
/// A mesh with hinges and a vertex of no triangle, likewise.
const MESH: &str = "
    mesh = \"sheet.obj\"
    substeps = 8

    [[collider]]
    shape = \"box\"
    sides = [0.5, 0.2, 0.5]
    position = [0.3, -0.6, 0.2]
";
/// Ropes with levels of detail, likewise.
const ROPES: &str = "
    preset = \"ropes\"
    rope_count = 5
    rope_particles = 17
    rope_held = \"first\"
    rope_motion = [[0, 0, 0, 0], [0.5, 0.2, 0, 0], [1, 0, 0, 0]]
    substeps = 4
";

/// What is edited, and what has been done to it.
struct Session<'a> {
    device: &'a Device,
    scene: Scene,
    on_cpu: bool,
    simulation: Simulation,
    random: Random,
    seed: u32,
    story: Vec<String>,
    /// A state that was saved.
    saved: Option<Vec<u8>>,
}

impl<'a> Session<'a> {
    fn new(device: &'a Device, scene: &Scene, on_cpu: bool, seed: u32) -> Self {
        let simulation = start(device, scene, on_cpu);
        let scene = scene.clone();
        let random = Random(seed);
        Self { device, scene, on_cpu, simulation, random, seed, story: vec![], saved: None }
    }

    fn check(&self, holds: bool, what: impl AsRef<str>) {
        let last = &self.story[self.story.len().saturating_sub(12)..];
        let (name, solver) = (&self.scene.name, self.scene.solver);
        let what = what.as_ref();
        assert!(holds, "{name}, {solver}, seed {}, edit {}: {what}; after {last:#?}", self.seed, self.story.len());
    }

    fn below(&mut self, count: usize) -> usize {
        ((f64::from(self.random.signed()) + 1.0) / 2.0 * count as f64) as usize
    }

    fn one_of<'b>(&mut self, list: &[&'b str]) -> &'b str {
        list[self.below(list.len())]
    }

    fn between(&mut self, range: Range<f32>) -> f32 {
        range.start + (self.random.signed() + 1.0) / 2.0 * (range.end - range.start)
    }

    /// Up to so far from the origin each way.
    fn vector(&mut self, farthest: f32) -> Vec3 {
        farthest * Vec3::new(self.random.signed(), self.random.signed(), self.random.signed())
    }

    fn particle(&mut self) -> u32 {
        self.below(self.simulation.body().positions().len()) as u32
    }

    fn step(&mut self, steps: usize) {
        for _ in 0..steps {
            let before = self.simulation.state().unwrap();
            Frames::run_once(self.device, |recorder| self.simulation.record(recorder)).unwrap();
            let after = self.simulation.state().unwrap();
            let way = after.time - before.time - f64::from(self.scene.dt);
            // Times are sums in 64 bits of up to a few thousand seconds.
            self.check(way.abs() < 1e-11, format!("a step is {way} s too long"));
            self.check(after.blades.is_empty(), "what is to be cut is cut with the next step");
            for (particle, is_pinned) in after.pins.changes() {
                let [before, after] = [&before, &after].map(|state| state.positions[particle as usize]);
                self.check(
                    !is_pinned || before == after,
                    format!("{particle} is pinned, and goes from {before} to {after}"),
                );
            }
            self.check_state(&after);
        }
    }

    /// The same body by what the scene is now, from where it is.
    fn go_on(&mut self) {
        let state = self.simulation.state().unwrap();
        self.simulation = start(self.device, &self.scene, self.on_cpu);
        self.simulation.go_on_from(&state).unwrap();
        self.check(self.simulation.positions().unwrap().len() == state.positions.len(), "there are as many particles");
    }

    /// Changes keys as the window does, where they go together.
    fn change(&mut self, key: &str, value: &str) {
        self.story.push(format!("{key} = {value}"));
        let mut scene = self.scene.clone();
        scene.change(key, value).unwrap();
        if scene.validate().is_err() {
            self.story.push("which is refused".into());
            return;
        }
        let effect = self.scene.effect_of(&scene);
        self.scene = scene;
        match effect {
            Effect::None | Effect::Setting => {
                let settings = self.scene.pbd_settings();
                if let Some(used) = self.simulation.pbd_settings_mut() {
                    *used = settings;
                }
            }
            Effect::Solver => self.go_on(),
            Effect::Body => unreachable!("{key} makes another body"),
        }
    }

    fn change_a_key(&mut self) {
        let keys =
            ["gravity", "wind", "damping", "elongation", "compliance", "shear_compliance", "substeps", "iterations"];
        let more = ["constraint_solver", "path", "velocity_loss", "spring_damping", "dt", "wind_flutter", "storage"];
        let rest = ["air_density", "bending", "bending_stiffness", "pins", "cut", "bending_form", "warp_compliance"];
        let key = self.one_of(&[&keys[..], &more, &rest].concat());
        let value = match key {
            "gravity" | "wind" => {
                let Vec3 { x, y, z } = self.vector(20.0);
                format!("[{x}, {y}, {z}]")
            }
            "damping" | "wind_flutter" => self.between(0.0..5.0).to_string(),
            "elongation" => self.between(0.5..1.5).to_string(),
            "compliance" | "shear_compliance" | "warp_compliance" => 10_f32.powf(self.between(-7.0..-2.0)).to_string(),
            "substeps" => (4 + self.below(12)).to_string(),
            "iterations" => (1 + self.below(3)).to_string(),
            "constraint_solver" => self.one_of(&["gauss-seidel", "jacobi"]).into(),
            "path" => self.one_of(&["auto", "plain", "fused"]).into(),
            "velocity_loss" => self.between(0.0..0.1).to_string(),
            "spring_damping" => self.between(0.0..0.02).to_string(),
            "dt" => self.one_of(&["0.033333333", "0.016666667", "0.01"]).into(),
            "storage" => self.one_of(&["images", "buffers"]).into(),
            "air_density" => self.one_of(&["0", "1.2"]).into(),
            "bending" => self.one_of(&["true", "false"]).into(),
            "bending_form" => self.one_of(&["distance", "dihedral"]).into(),
            "bending_stiffness" => 10_f32.powf(self.between(-6.0..-3.0)).to_string(),
            "pins" if self.scene.mesh.is_none() => self.one_of(&["top-row", "top-corners", "none", "[8]"]).into(),
            "cut" if self.scene.solver.takes_mesh() => {
                let time = self.simulation.time() as f32 + self.between(0.0..0.2);
                let Vec3 { x, y, z } = self.vector(0.3);
                format!("[{{time = {time}, point = [{x}, {y}, {z}], normal = [1, {y}, 0.3]}}]")
            }
            _ => return,
        };
        self.change(key, &value);
    }

    fn change_solver(&mut self) {
        let solvers: &[&str] = match (self.simulation.body(), &self.scene.mesh) {
            (Body::Ropes(_), _) => &["rope"],
            (Body::Cloth(_), Some(_)) => &["xpbd", "pbd", "xpbd-document"],
            (Body::Cloth(_), None) => &["xpbd", "pbd", "xpbd-document", "verlet", "mass-spring"],
        };
        let solver = self.one_of(solvers);
        if !matches!(solver, "verlet" | "mass-spring") {
            self.change("solver", solver);
        } else {
            // A solver of springs cannot cut.
            self.change("cut", "[]");
            self.change("solver", solver);
        }
    }

    fn cut(&mut self) {
        let (from, to, direction) = (self.vector(0.5), self.vector(0.5), self.vector(1.0));
        let blade = match self.below(3) {
            0 => Blade::plane(from, direction),
            1 => Blade::stroke(from, to, direction),
            _ => Blade::seen(from + 2.0 * Vec3::Z, to - 2.0 * Vec3::Z, to + direction - 2.0 * Vec3::Z),
        };
        self.story.push(format!("cut by {blade:?}"));
        let Some(blade) = blade else { return };
        let can_cut = self.simulation.cut(blade).unwrap();
        self.check(can_cut == self.scene.solver.takes_mesh(), "solvers of constraints cut, and no others");
    }

    fn pin(&mut self) {
        let (particle, pinned) = (self.particle(), self.below(2) == 0);
        self.story.push(format!("{particle} is pinned: {pinned}"));
        let before = self.simulation.pinned_count();
        let was_pinned = self.simulation.is_pinned(particle);
        self.simulation.set_pinned(particle, pinned);
        let is_pinned = self.simulation.is_pinned(particle);
        let has_mass = self.simulation.body().inverse_mass(particle) > 0.0;
        self.check(is_pinned == (pinned || !has_mass), "it is as a hand has it");
        let expected = before + usize::from(is_pinned) - usize::from(was_pinned);
        self.check(self.simulation.pinned_count() == expected, "one more or less is pinned");
    }

    fn grip(&mut self) {
        let (particle, target) = (self.particle(), self.vector(1.5));
        let is_held = self.below(3) > 0;
        self.story.push(format!("a hand at {particle}, {target}: {is_held}"));
        let grip = is_held.then(|| Grip::soft(self.simulation.body(), particle, target));
        self.simulation.set_grip(grip);
    }

    fn drag(&mut self) {
        let collider = self.below(self.simulation.colliders().list().len());
        let (offset, speed) = (self.vector(0.5), self.between(0.0..5.0));
        let drag = (self.below(4) > 0).then_some(Drag { collider, offset, speed });
        self.story.push(format!("{drag:?}"));
        self.simulation.drag(drag);
    }

    /// Saves a state, or goes on from the one that was saved.
    fn save_or_load(&mut self) {
        let state = self.simulation.state().unwrap();
        let bytes = state.to_bytes();
        self.check(State::from_bytes(&bytes).unwrap() == state, "a state is what its bytes say");
        if let Some(saved) = self.saved.take().filter(|_| self.random.signed() > 0.0) {
            self.story.push("loaded".into());
            self.simulation.go_on_from(&State::from_bytes(&saved).unwrap()).unwrap();
        } else {
            self.story.push("saved".into());
            self.saved = Some(bytes);
        }
    }

    fn edit(&mut self) {
        match self.below(20) {
            0..=5 => {
                let steps = 1 + self.below(3);
                self.story.push(format!("{steps} steps"));
                self.step(steps);
            }
            6 | 7 => self.cut(),
            8 | 9 => self.pin(),
            10 | 11 => self.grip(),
            12 => self.drag(),
            13..=15 => self.change_a_key(),
            16 => self.change_solver(),
            17 => {
                self.on_cpu = !self.on_cpu;
                self.story.push(format!("on the CPU: {}", self.on_cpu));
                self.go_on();
            }
            18 => self.save_or_load(),
            _ => match self.below(4) {
                0 => {
                    self.story.push("reset".into());
                    self.simulation.reset().unwrap();
                    self.check(self.simulation.cut_count().unwrap() == 0, "a reset mends all");
                }
                1 => {
                    let eye = self.vector(20.0);
                    self.story.push(format!("seen from {eye}"));
                    self.simulation.set_camera(eye);
                }
                _ => {
                    self.story.push("hands without a step".into());
                    Frames::run_once(self.device, |recorder| self.simulation.record_hands(recorder)).unwrap();
                }
            },
        }
        self.check_state(&self.simulation.state().unwrap());
    }

    fn check_state(&self, state: &State) {
        let body = self.simulation.body();
        let count = body.positions().len();
        self.check([&state.positions, &state.velocities].iter().all(|list| list.len() == count), "one each a particle");
        for list in [&state.positions, &state.velocities, &state.previous, &state.dragged] {
            let wrong = list.iter().position(|vector| !vector.is_finite());
            self.check(wrong.is_none(), format!("{wrong:?} is not finite"));
        }
        let pinned = (0..count as u32).filter(|&particle| self.simulation.is_pinned(particle)).count();
        self.check(self.simulation.pinned_count() == pinned, "as many are pinned as there are");
        self.check(self.simulation.time() == state.time, "the state is of now");
        self.check_cuts(state);
    }

    /// Springs that are cut, and the constraints and triangles that solvers work with: those of the cloth, or nothing. So batches
    /// share no particle as long as the cloth's share none.
    fn check_cuts(&self, state: &State) {
        let springs: HashSet<_> = state.severed.springs.iter().copied().collect();
        self.check(springs.len() == state.severed.springs.len(), "no spring is cut twice");
        self.check(self.simulation.cut_count().unwrap() == springs.len(), "as many are cut as there are");
        let Body::Cloth(cloth) = self.simulation.body() else { return };
        if let Some(constraints) = self.simulation.constraints() {
            let constraints: Vec<Constraint> = constraints.read().unwrap();
            self.check(constraints.len() == cloth.springs.len(), "there is one a spring");
            for (constraint, spring) in constraints.iter().zip(&cloth.springs) {
                let [a, b] = spring.particles;
                let is_cut = springs.contains(&[a, b]);
                let wanted = if is_cut { [a, a] } else { [a, b] };
                self.check(constraint.particles() == wanted, format!("{spring:?}, cut: {is_cut}, is {constraint:?}"));
            }
            for batch in cloth.coloring.batches() {
                let mut seen = HashSet::new();
                let batch = &constraints[batch.start as usize..batch.end as usize];
                let particles = batch.iter().flat_map(|one| HashSet::from(one.particles()));
                self.check(particles.into_iter().all(|particle| seen.insert(particle)), "a batch shares a particle");
            }
        }
        if let Some(triangles) = self.simulation.triangles() {
            let corners: Vec<u32> = triangles.corners.read().unwrap();
            self.check(corners.len() == 3 * cloth.triangles.len(), "there are as many triangles");
            let cut: HashSet<u32> = state.severed.triangles.iter().copied().collect();
            for ((corners, triangle), index) in corners.as_chunks().0.iter().zip(&cloth.triangles).zip(0..) {
                let wanted = if cut.contains(&index) { [triangle[0]; 3] } else { *triangle };
                self.check(*corners == wanted, format!("triangle {index} is {corners:?}, and not {wanted:?}"));
            }
        }
    }
}

fn scene(folder: &Path, text: &str) -> Scene {
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(&path, &[])
}

fn number_of(variable: &str) -> Option<usize> {
    env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable} is a number, not '{text}'")))
}

/// Edits a scene, each seed twice.
fn edit(text: &str) {
    let validated = Validated::open();
    let folder = tempfile::tempdir().unwrap();
    let mesh = sheet([6, 5]) + "v 0.3 -0.2 0.1\n";
    std::fs::write(folder.path().join("sheet.obj"), mesh).unwrap();
    let scene = scene(folder.path(), text);
    let edits = number_of("TAUTLINE_EDITS").unwrap_or(EDITS);
    let seeds = number_of("TAUTLINE_EDIT_SEED").map_or(SEEDS.to_vec(), |seed| vec![seed as u32]);
    for seed in seeds {
        let ends = [(), ()].map(|()| {
            let mut session = Session::new(&validated.device, &scene, seed % 2 == 0, seed);
            let mut bytes = Vec::new();
            for _ in 0..edits {
                session.edit();
                let state = session.simulation.state().unwrap();
                bytes.push(xxh3_64(&state.to_bytes()));
            }
            let particles: Vec<Vec4> = session.simulation.positions().unwrap();
            (session.story, bytes, common::bits(&particles))
        });
        let [first, second] = &ends;
        println!("{}, seed {seed}: {} edits", scene.name, first.0.len());
        let other = first.1.iter().zip(&second.1).position(|(first, second)| first != second);
        assert!(other.is_none(), "seed {seed}: other bits after edit {other:?} of {:#?}", first.0);
        assert!(first == second, "seed {seed}: other edits or other particles");
    }
}

#[test]
fn a_grid_stands_any_edits() {
    edit(GRID);
}

#[test]
fn a_mesh_stands_any_edits() {
    edit(MESH);
}

#[test]
fn ropes_stand_any_edits() {
    edit(ROPES);
}
