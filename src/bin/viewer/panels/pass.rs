//! What one pass does in a frame: its shaders, what it runs over, what it binds, and the barriers before it.

use std::time::{Duration, Instant};

use egui::{RichText, Ui};
use tautline::engine::hazard::Barrier;
use tautline::engine::reflect::Access;
use tautline::engine::{Extent, PassWork};

use super::style::fact;

/// How often what a pass does is looked at anew.
const REFRESH: Duration = Duration::from_millis(500);

/// The pass that was clicked on, and what it did when it was looked at last.
#[derive(Default)]
pub struct Pass {
    name: Option<String>,
    work: Option<PassWork>,
    looked_at: Option<Instant>,
}

impl Pass {
    /// Chooses a pass, or none where it is chosen already.
    pub fn choose(&mut self, name: &str) {
        let is_chosen = self.is_chosen(name);
        *self = Self { name: (!is_chosen).then(|| name.to_string()), ..Self::default() };
    }

    pub fn is_chosen(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    /// Whether the work of the next frame is to be kept.
    pub fn wants_work(&self) -> bool {
        self.name.is_some() && self.looked_at.is_none_or(|looked_at| looked_at.elapsed() >= REFRESH)
    }

    /// Takes the work of a frame.
    pub fn look(&mut self, frame: Vec<PassWork>) {
        self.looked_at = Some(Instant::now());
        // A frame in which no step is due has not all passes.
        if let Some(work) = frame.into_iter().find(|pass| self.is_chosen(&pass.name)) {
            self.work = Some(work);
        }
    }

    pub fn show(&self, ui: &mut Ui) {
        let Some(name) = &self.name else {
            return;
        };
        ui.group(|ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(name).strong());
            match &self.work {
                Some(work) => details(ui, work),
                None => drop(ui.weak("It has not run since it was chosen.")),
            }
        });
    }
}

fn details(ui: &mut Ui, pass: &PassWork) {
    let shaders = || pass.calls.iter().flat_map(|(work, _)| work.shaders.iter());
    egui::Grid::new("pass").num_columns(2).spacing([12.0, 2.0]).show(ui, |ui| {
        let mut known: Vec<&str> = Vec::new();
        for shader in shaders() {
            if !known.contains(&shader.as_str()) {
                fact(ui, if known.is_empty() { "Shader" } else { "" }, format!("glsl/{shader}"));
                known.push(shader);
            }
        }
        runs_over(ui, pass);
    });
    let bound = pass.calls.first().map(|(work, _)| &work.bound[..]).unwrap_or_default();
    if !bound.is_empty() {
        ui.weak("Binds");
    }
    for one in bound {
        let access = match one.access {
            Access::Read => "read",
            Access::Write => "written",
            Access::ReadWrite => "read, written",
        };
        small(ui, format!("{}: {access} ({})", one.name, one.resource));
    }
    ui.weak(if pass.barriers.is_empty() { "No barrier before it" } else { "Barriers before it" });
    for (barrier, count) in &pass.barriers {
        small(ui, format!("{count}x {}", sentence(barrier)));
    }
}

fn runs_over(ui: &mut Ui, pass: &PassWork) {
    let across = |sizes: [u32; 3]| sizes.map(|size| size.to_string()).join(" x ");
    let mut all_groups: Vec<[u32; 3]> = Vec::new();
    for (work, _) in &pass.calls {
        match work.extent {
            Extent::Transfer => {}
            Extent::Dispatch { local_size, groups } => {
                if all_groups.is_empty() {
                    fact(ui, "Workgroup", across(local_size));
                }
                all_groups.push(groups);
            }
            Extent::Draw { draws, vertices } => {
                fact(ui, "Draws", format!("{draws}, of {vertices} vertices in all"));
            }
        }
    }
    let calls = pass.call_count();
    let (least, most) = (all_groups.iter().min(), all_groups.iter().max());
    let text = match least.zip(most) {
        Some((least, most)) if least == most => format!("{calls}, of {} workgroups", across(*most)),
        Some((least, most)) => format!("{calls}, of {} to {} workgroups", across(*least), across(*most)),
        None => calls.to_string(),
    };
    fact(ui, "Calls", text);
}

fn small(ui: &mut Ui, text: String) {
    ui.label(RichText::new(text).size(11.0));
}

/// A barrier in the words of Vulkan.
fn sentence(barrier: &Barrier) -> String {
    let Barrier { source_stages, source_accesses, target_stages, target_accesses, transitions } = barrier;
    let mut text = format!("{source_stages:?} ({source_accesses:?}) > {target_stages:?} ({target_accesses:?})");
    for transition in transitions {
        text += &format!(", layout {:?} > {:?}", transition.from, transition.image.layout);
    }
    text
}
