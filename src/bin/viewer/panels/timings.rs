//! How long passes and frames take: the last seconds as a plot, and a table of them.

use std::time::{Duration, Instant};

use egui::{Align, Color32, CursorIcon, Layout, RichText, Sense, Ui};
use egui_plot::{FilledArea, Line, Plot, PlotPoints};
use tautline::engine::FrameTiming;

use super::Facts;
use super::pass::Pass;
use crate::report::Spread;

/// How far back is looked.
const SPAN: Duration = Duration::from_secs(5);
/// How many frames at most: five seconds of 120 a second.
const MOST_FRAMES: usize = 600;
/// How often the table is made anew: often enough to follow, seldom enough to be read.
const REFRESH: Duration = Duration::from_millis(500);

/// Colours of passes in the order of their names, which repeat after the last.
const COLORS: [Color32; 10] = [
    Color32::from_rgb(0x4e, 0x79, 0xa7),
    Color32::from_rgb(0xf2, 0x8e, 0x2b),
    Color32::from_rgb(0x59, 0xa1, 0x4f),
    Color32::from_rgb(0xe1, 0x57, 0x59),
    Color32::from_rgb(0x76, 0xb7, 0xb2),
    Color32::from_rgb(0xed, 0xc9, 0x48),
    Color32::from_rgb(0xb0, 0x7a, 0xa1),
    Color32::from_rgb(0xff, 0x9d, 0xa7),
    Color32::from_rgb(0x9c, 0x75, 0x5f),
    Color32::from_rgb(0xba, 0xb0, 0xac),
];

/// The table as it was made last.
#[derive(Default)]
pub struct Timings {
    made_at: Option<Instant>,
    rows: Vec<Row>,
    gpu: Option<Spread>,
    /// Of the last steps, where the CPU runs them.
    cpu: Option<Duration>,
    wall: Option<Spread>,
    pub pass: Pass,
}

struct Row {
    name: String,
    calls: u32,
    spread: Spread,
    /// Of the time of all passes.
    share: f64,
}

impl Timings {
    pub fn show(&mut self, ui: &mut Ui, facts: &Facts<'_>) {
        let wall = latest(facts.run.wall());
        let all = facts.run.timings();
        let timings: Vec<&FrameTiming> = all[all.len().saturating_sub(wall.len())..].iter().flatten().collect();
        if self.made_at.is_none_or(|made_at| made_at.elapsed() >= REFRESH) {
            self.make(&timings, wall);
            self.cpu = facts.run.last_cpu_time();
        }
        self.plot(ui, &timings, wall);
        self.table(ui);
        self.pass.show(ui);
        egui::Grid::new("frames").num_columns(2).spacing([12.0, 4.0]).show(ui, |ui| {
            let spread = |spread: Option<Spread>| {
                spread.map_or("n/a".into(), |Spread { median, p95, .. }| {
                    format!("{} ms, 95 % within {} ms", digits(median / 1e3), digits(p95 / 1e3))
                })
            };
            if let Some(cpu) = self.cpu {
                super::style::fact(ui, "Steps on the CPU", format!("{} ms", digits(cpu.as_secs_f64() * 1e3)));
            }
            super::style::fact(ui, "GPU a frame", spread(self.gpu));
            super::style::fact(ui, "Frame on the wall", spread(self.wall));
            super::style::fact(ui, "Steps dropped", facts.dropped.to_string());
            super::style::fact(ui, "Frames are shown", facts.present.to_string());
        });
    }

    fn make(&mut self, timings: &[&FrameTiming], wall: &[Duration]) {
        let sum: u64 = timings.iter().map(|timing| timing.gpu_ns).sum();
        let row = |name: &str| {
            let passes = || timings.iter().flat_map(|timing| &timing.passes).filter(|pass| *pass.name == *name);
            Some(Row {
                name: name.to_string(),
                calls: passes().next_back()?.calls,
                share: passes().map(|pass| pass.gpu_ns as f64).sum::<f64>() / sum.max(1) as f64,
                spread: Spread::of(passes().map(|pass| pass.gpu_ns as f64 / 1e3).collect())?,
            })
        };
        self.rows = names(timings).into_iter().filter_map(row).collect();
        self.gpu = Spread::of(timings.iter().map(|timing| timing.gpu_ns as f64 / 1e3).collect());
        self.wall = Spread::of(wall.iter().map(|wall| wall.as_secs_f64() * 1e6).collect());
        self.made_at = Some(Instant::now());
    }

    /// The passes of each frame on top of each other, and the frame as the wall clock had it.
    fn plot(&self, ui: &mut Ui, timings: &[&FrameTiming], wall: &[Duration]) {
        // Frames are timed a little later on the device than on the wall, so both are counted from the last.
        let mut ends: Vec<f64> = wall
            .iter()
            .rev()
            .scan(0.0, |time, wall| {
                let end = -*time;
                *time += wall.as_secs_f64();
                Some(end)
            })
            .collect();
        ends.reverse();
        let timings = &timings[timings.len().saturating_sub(ends.len())..];
        let xs = &ends[ends.len() - timings.len()..];
        let mut below = vec![0.0; timings.len()];
        // Without any, the axis is that of a millisecond.
        let spreads = [self.wall, self.gpu].into_iter().flatten();
        let highest = spreads.map(|spread| spread.p95 / 1e3).reduce(f64::max).unwrap_or(1.0);
        Plot::new("passes")
            .height(130.0)
            .allow_zoom(false)
            .allow_drag(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .show_x(false)
            .show_y(false)
            .x_axis_formatter(|mark, _| format!("{:.0} s", mark.value))
            .y_axis_formatter(|mark, _| format!("{} ms", mark.value))
            .include_y(0.0)
            .include_y(1.3 * highest)
            .default_x_bounds(-SPAN.as_secs_f64(), 0.0)
            .auto_bounds([false, true])
            .grid_color(Color32::from_gray(0x28))
            .show_crosshair(false)
            .show(ui, |plot| {
                for (index, name) in names(timings).into_iter().enumerate() {
                    let above: Vec<f64> = timings
                        .iter()
                        .zip(&below)
                        .map(|(timing, below)| {
                            let pass = timing.passes.iter().find(|pass| *pass.name == *name);
                            below + pass.map_or(0.0, |pass| pass.gpu_ns as f64 / 1e6)
                        })
                        .collect();
                    plot.add(FilledArea::new(name, xs, &below, &above).fill_color(color(index)));
                    below = above;
                }
                let points: Vec<[f64; 2]> =
                    ends.iter().zip(wall).map(|(&end, wall)| [end, wall.as_secs_f64() * 1e3]).collect();
                plot.line(Line::new("wall", PlotPoints::from(points)).color(Color32::from_gray(0xb0)).width(1.0));
            });
    }

    /// A click on a row chooses its pass.
    fn table(&mut self, ui: &mut Ui) {
        row(ui, None, "Pass, µs", ["calls", "median", "95 %", "share"].map(|heading| RichText::new(heading).weak()));
        for (index, Row { name, calls, spread, share }) in self.rows.iter().enumerate() {
            let share = format!("{:.0} %", 100.0 * share);
            let numbers = [calls.to_string(), digits(spread.median), digits(spread.p95), share];
            if row(ui, Some((color(index), self.pass.is_chosen(name))), name, numbers.map(RichText::new)) {
                self.pass.choose(name);
            }
        }
    }
}

/// A row of the table: a colour, a name and four numbers, in columns that stay where they are; true where it is clicked on.
/// What has no colour is the heading, and the others say whether they are chosen.
fn row(ui: &mut Ui, pass: Option<(Color32, bool)>, name: &str, numbers: [RichText; 4]) -> bool {
    let height = ui.text_style_height(&egui::TextStyle::Body);
    let [narrow, wide] = [42.0, 62.0].map(|width| egui::vec2(width, height));
    let response = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let (patch, _) = ui.allocate_exact_size(egui::vec2(10.0, height), Sense::hover());
        if let Some((color, _)) = pass {
            ui.painter().rect_filled(patch.shrink2(egui::vec2(1.0, 3.0)), 1.0, color);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (text, size) in numbers.into_iter().zip([narrow, wide, wide, narrow]).rev() {
                ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                    ui.set_min_size(size);
                    ui.label(text);
                });
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let name = match pass {
                    None => RichText::new(name).weak(),
                    Some((_, true)) => RichText::new(name).strong(),
                    Some((_, false)) => RichText::new(name),
                };
                ui.add(egui::Label::new(name).truncate());
            });
        });
    });
    pass.is_some() && response.response.interact(Sense::click()).on_hover_cursor(CursorIcon::PointingHand).clicked()
}

/// A time with as many digits as say something.
fn digits(time: f64) -> String {
    let decimals = match time {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{time:.decimals$}")
}

/// The last of some frames.
fn latest(wall: &[Duration]) -> &[Duration] {
    let ages = wall.iter().rev().scan(Duration::ZERO, |age, wall| {
        *age += *wall;
        Some(*age)
    });
    let frames = ages.take(MOST_FRAMES).take_while(|age| *age <= SPAN).count();
    &wall[wall.len() - frames..]
}

/// The passes of the solver, in the order of their first calls, and then those of the view, which has some before the last
/// step of a frame; at the end copies, whose names are no paths of shaders, for they come and go.
fn names<'a>(timings: &[&'a FrameTiming]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    // The longest recording knows the order best: one without a step only draws.
    let longest = timings.iter().max_by_key(|timing| timing.passes.len());
    for timing in longest.into_iter().chain(timings) {
        for pass in &timing.passes {
            if !names.contains(&&*pass.name) {
                names.push(&pass.name);
            }
        }
    }
    names.sort_by_key(|name| (!name.contains('/'), name.starts_with("view/")));
    names
}

fn color(index: usize) -> Color32 {
    COLORS[index % COLORS.len()]
}
