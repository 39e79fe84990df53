//! Fields for the values of keys, each by the form that they have; what is edited is the text that a scene takes.

use egui::{DragValue, Response, TextEdit, Ui};
use tautline::scene::{Form, Key};

/// The name of a key whose text is being typed, and the text so far.
pub type Typed = (&'static str, String);

/// A field for the value of a key, which is `before`: its text where it has been changed.
pub fn field(ui: &mut Ui, key: &Key, before: &str, typed: &mut Option<Typed>) -> Option<String> {
    let (width, height) = (ui.available_width(), ui.spacing().interact_size.y);
    match key.form {
        Form::Number | Form::Whole if !before.is_empty() => {
            let mut number = before.parse().ok()?;
            let response = ui.add_sized([width, height], number_field(key, &mut number));
            response.changed().then(|| number_text(key, number))
        }
        Form::Vector if !before.is_empty() => {
            let mut numbers: Vec<f64> =
                before.trim_matches(['[', ']']).split(',').map_while(|number| number.trim().parse().ok()).collect();
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.spacing_mut().button_padding.x = 2.0;
            let size = [(width - 4.0) / 3.0, height];
            let fields: Vec<Response> =
                numbers.iter_mut().map(|number| ui.add_sized(size, number_field(key, number))).collect();
            let numbers: Vec<String> = numbers.into_iter().map(|number| number_text(key, number)).collect();
            fields.iter().any(Response::changed).then(|| format!("[{}]", numbers.join(", ")))
        }
        Form::Switch => {
            let mut on = before == "true";
            ui.checkbox(&mut on, "").changed().then(|| on.to_string())
        }
        Form::Choice(words) => {
            let mut chosen = None;
            egui::ComboBox::from_id_salt(key.name).width(width).selected_text(before).show_ui(ui, |ui| {
                for word in words {
                    if ui.selectable_label(before == *word, *word).clicked() {
                        chosen = Some((*word).to_string());
                    }
                }
            });
            chosen
        }
        _ => text_field(ui, key, before, typed),
    }
}

/// Text holds when it is complete, as most of what is typed on the way is wrong.
fn text_field(ui: &mut Ui, key: &Key, before: &str, typed: &mut Option<Typed>) -> Option<String> {
    let mut text = match typed {
        Some((name, text)) if *name == key.name => text.clone(),
        _ => before.to_string(),
    };
    let response = ui.add(TextEdit::singleline(&mut text).hint_text("none").desired_width(f32::INFINITY));
    if response.has_focus() || response.changed() {
        *typed = Some((key.name, text.clone()));
    }
    if !response.lost_focus() {
        return None;
    }
    *typed = None;
    (text != before && !text.trim().is_empty()).then_some(text)
}

/// A number that is dragged in steps of a part of itself, or typed.
fn number_field<'a>(key: &'a Key, number: &'a mut f64) -> DragValue<'a> {
    let speed = if key.form == Form::Whole { 0.1 } else { (number.abs() * 0.01).max(1e-4) };
    let field = DragValue::new(number)
        .speed(speed)
        .custom_formatter(|number, _| number_text(key, number))
        .custom_parser(|text| text.trim().parse().ok());
    match key.range() {
        Some(range) => field.range(range),
        None => field,
    }
}

/// A number as a scene has it: whole, or with the digits of 32 bits in the shorter of two ways.
fn number_text(key: &Key, number: f64) -> String {
    if key.form == Form::Whole {
        return format!("{number:.0}");
    }
    let (plain, scientific) = ((number as f32).to_string(), format!("{:e}", number as f32));
    if scientific.len() + 2 < plain.len() { scientific } else { plain }
}
