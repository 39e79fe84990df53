//! Buttons that take a picture, record a video and save the state.

use egui::{Button, Ui};

use super::{Command, Facts, style};
use crate::video::Format;

pub fn show(ui: &mut Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
    let recorded = facts.outputs.video();
    ui.horizontal(|ui| {
        if ui.button("Picture").on_hover_text("P: a PNG picture, into the working folder").clicked() {
            commands.push(Command::TakePicture);
        }
        let button = match recorded {
            Some(video) => Button::new(format!("Stop at {:.1} s", video.seconds())).fill(style::RECORDING),
            None => Button::new("Record"),
        };
        let hint = "M: a video in which simulated time has its true speed, however slow this window is";
        if ui.add(button).on_hover_text(hint).clicked() {
            commands.push(Command::ToggleRecording);
        }
        match recorded {
            Some(video) => {
                let waiting = if video.is_waiting() { ", waiting" } else { "" };
                let hint = "Where pictures are written more slowly than they are drawn, the scene waits for that";
                ui.weak(format!("{} pictures{waiting}", video.pictures())).on_hover_text(hint);
            }
            None => {
                formats(ui, facts, commands);
                let hint = "S: what the scene does now, into the working folder; dropped on this window, it goes on";
                if ui.button("State").on_hover_text(hint).clicked() {
                    commands.push(Command::SaveState);
                }
            }
        }
    });
}

/// The choice between MP4 and PNG pictures.
fn formats(ui: &mut Ui, facts: &Facts<'_>, commands: &mut Vec<Command>) {
    let outputs = facts.outputs;
    for (format, name, hint, enabled) in [
        (Format::Mp4, "MP4", "Encoded by the program ffmpeg", outputs.has_ffmpeg),
        (Format::Png, "PNGs", "A new folder of numbered pictures", true),
    ] {
        let label = Button::selectable(outputs.format == format, name);
        let label = ui.add_enabled(enabled, label).on_hover_text(hint);
        if label.on_disabled_hover_text("Needs the program ffmpeg on the path").clicked() {
            commands.push(Command::RecordAs(format));
        }
    }
}
