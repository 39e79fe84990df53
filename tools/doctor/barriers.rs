//! The passes of one step with what they wait for.

use std::ffi::OsStr;
use std::fmt::Write as _;

use anyhow::Result;
use tautline::engine::reflect::Access;
use tautline::engine::{CallWork, Device, Extent, Frames, Wait};
use tautline::scene::Scene;

/// Each pass of the first step of a scene, those that come again and again only once.
pub fn report(scene: &OsStr, settings: &[(String, String)], device: Option<&str>) -> Result<String> {
    let scene = Scene::load(scene, settings)?;
    let device = Device::headless(device)?;
    let mut simulation = scene.simulation(&device)?;
    let mut frames = Frames::new(&device, 1)?;
    let mut recorder = frames.begin()?;
    recorder.keep_work();
    simulation.record(&mut recorder)?;
    let calls = recorder.trace().map(|trace| trace.calls()).unwrap_or_default();
    let mut text = format!(
        "One step of {} by {} on {}: {} calls, {} barriers.\nEach recording begins with a barrier for all that came before it.\n",
        scene.name,
        scene.solver,
        device.info().name,
        calls.len(),
        calls.iter().map(|call| call.barriers.len()).sum::<usize>(),
    );
    let passages: Vec<Passage> = calls.iter().map(Passage::of).collect();
    write_folded(&mut text, &passages, 0);
    Ok(text)
}

/// A call, in lines.
#[derive(Clone, PartialEq)]
struct Passage {
    barriers: String,
    pass: String,
}

impl Passage {
    fn of(call: &CallWork) -> Self {
        Self { barriers: barriers(call), pass: pass(call) }
    }

    /// Whether it is another one, or that one but for a barrier, which the first call of a recording has not.
    fn is_like(&self, first: &Self) -> bool {
        self == first || self.pass == first.pass && first.barriers.is_empty()
    }
}

/// What a call waits for.
fn barriers(call: &CallWork) -> String {
    let mut text = String::new();
    for barrier in &call.barriers {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  barrier  {:?} ({:?}) -> {:?} ({:?})",
            barrier.source_stages, barrier.source_accesses, barrier.target_stages, barrier.target_accesses
        );
        for transition in &barrier.transitions {
            let _ = writeln!(text, "           layout {:?} -> {:?}", transition.from, transition.image.layout);
        }
    }
    for Wait { resource, after, hazard, gl_barrier } in &call.waits {
        let resource = resource.as_deref().unwrap_or("memory that no shader binds");
        let _ = writeln!(text, "           {resource}: {hazard}, after {after}; in OpenGL {gl_barrier}");
    }
    text
}

/// What a call does.
fn pass(call: &CallWork) -> String {
    let extent = match call.work.extent {
        Extent::Transfer => "a transfer".to_string(),
        Extent::Dispatch { local_size, groups } => format!("{} groups of {}", product(groups), product(local_size)),
        Extent::Draw { draws, vertices } => format!("{draws} draws of {vertices} vertices"),
    };
    let mut text = format!("{}  {extent}\n", call.pass);
    for (verb, accesses) in
        [("reads", [Access::Read, Access::ReadWrite]), ("writes", [Access::Write, Access::ReadWrite])]
    {
        let bound = call.work.bound.iter().filter(|bound| accesses.contains(&bound.access));
        let names: Vec<&str> = bound.map(|bound| &*bound.resource).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "  {verb:<7}  {}", names.join(", "));
        }
    }
    text
}

/// Sizes in x, y and z as far as they are not 1.
fn product(sizes: [u32; 3]) -> String {
    let sizes: Vec<String> =
        sizes.iter().take(1 + sizes.iter().rposition(|&size| size > 1).unwrap_or(0)).map(u32::to_string).collect();
    sizes.join(" x ")
}

/// Writes passages, and those that repeat as a block only once.
fn write_folded(text: &mut String, passages: &[Passage], depth: usize) {
    let indent = "    ".repeat(depth);
    let mut left = passages;
    while let Some(first) = left.first() {
        let (period, count) = (1..=left.len() / 2)
            .map(|period| (period, repetitions(left, period)))
            .filter(|&(_, count)| count > 1)
            // That which takes in most, and of those the shortest.
            .max_by_key(|&(period, count)| (period * count, count))
            .unwrap_or((1, 1));
        text.push('\n');
        if count > 1 {
            let mut block = left[..period].to_vec();
            block[0] = left[period].clone();
            let but = if left[0] == block[0] { "" } else { ", the first time without the first barrier" };
            *text += &format!("{indent}{count} times{but}:\n");
            write_folded(text, &block, depth + 1);
        } else {
            for line in first.barriers.lines().chain(first.pass.lines()) {
                *text += &format!("{indent}{line}\n");
            }
        }
        left = &left[period * count..];
    }
}

/// How often the first `period` passages follow each other.
fn repetitions(passages: &[Passage], period: usize) -> usize {
    let (first, rest) = passages[..period].split_first().expect("a period");
    let repeats = |block: &&[Passage]| block[0].is_like(first) && block[1..] == *rest && block[0] == passages[period];
    1 + passages[period..].chunks_exact(period).take_while(repeats).count()
}
