//! How panels look: quiet, dark, in a few sizes.

use egui::{Color32, Context, CornerRadius, Frame, Margin, Stroke, Theme, Ui};

/// Of what went wrong.
pub const ERROR: Color32 = Color32::from_rgb(0xf0, 0x8a, 0x7a);
/// Of a button while something is recorded.
pub const RECORDING: Color32 = Color32::from_rgb(0x8c, 0x2f, 0x2b);
pub const BACKGROUND: Color32 = Color32::from_rgb(0x1d, 0x20, 0x24);
const ACCENT: Color32 = Color32::from_rgb(0x2f, 0x5d, 0x7c);

/// Gives all panels their colours and distances.
pub fn apply(context: &Context) {
    context.set_theme(Theme::Dark);
    // Plus and minus are keys of the window, and its scale is the display's.
    context.options_mut(|options| options.zoom_with_keyboard = false);
    context.global_style_mut(|style| {
        let visuals = &mut style.visuals;
        visuals.panel_fill = BACKGROUND;
        visuals.window_fill = BACKGROUND;
        visuals.window_stroke = Stroke::new(1.0, Color32::from_gray(0x3a));
        visuals.extreme_bg_color = Color32::from_rgb(0x12, 0x14, 0x17);
        visuals.selection.bg_fill = ACCENT;
        visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
        visuals.slider_trailing_fill = true;
        visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(0xc8);
        visuals.widgets.inactive.fg_stroke.color = Color32::from_gray(0xd8);
        visuals.widgets.noninteractive.bg_stroke.color = Color32::from_gray(0x33);
        // Text that can be selected hides what is told of what it is part of.
        style.interaction.selectable_labels = false;
        style.spacing.item_spacing = egui::vec2(8.0, 5.0);
        style.spacing.button_padding = egui::vec2(8.0, 3.0);
        style.spacing.interact_size.y = 20.0;
        // Beside what is scrolled, and not over it.
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        style.spacing.scroll.floating_allocated_width = 10.0;
    });
}

/// Width of the panel at the side of a window \[points\]: some of a narrow one is left to the scene.
pub fn panel_width(window: f32) -> f32 {
    (0.8 * window).min(340.0)
}

/// The frame of the panel at the side.
pub fn frame() -> Frame {
    Frame::new()
        .fill(BACKGROUND)
        .inner_margin(Margin { left: 12, right: 4, top: 10, bottom: 10 })
        .corner_radius(CornerRadius::ZERO)
}

/// A part of the panel under a heading that folds it.
pub fn section(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    ui.separator();
    let heading = egui::RichText::new(title).strong();
    egui::CollapsingHeader::new(heading).default_open(open).show_unindented(ui, contents);
}

/// One line of a table of two columns: a name and what it is.
pub fn fact(ui: &mut Ui, name: &str, value: impl Into<String>) -> egui::Response {
    ui.weak(name);
    let value = ui.add(egui::Label::new(value.into()).truncate());
    ui.end_row();
    value
}
