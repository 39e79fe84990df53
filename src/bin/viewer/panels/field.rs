//! Fields for the values of keys, each by the form that they have; what is edited is the text that a scene takes.

use egui::{DragValue, Response, TextEdit, Ui};
use tautline::scene::{Form, Key};

/// The name of a key whose text is being typed, and the text so far.
pub type Typed = (&'static str, String);

/// A field for the value of a key, which is `before`: its text where it has been changed. A number that `waits` changes when
/// the drag at it ends, and others while they are dragged.
pub fn field(ui: &mut Ui, key: &Key, before: &str, waits: bool, typed: &mut Option<Typed>) -> Option<String> {
    let (width, height) = (ui.available_width(), ui.spacing().interact_size.y);
    match key.form {
        Form::Number | Form::Whole if !before.is_empty() => {
            let mut number = edited(key, before, typed).parse().ok()?;
            let response = ui.add_sized([width, height], number_field(key, &mut number));
            dragged(key, &response, number_text(key, number), waits, typed)
        }
        Form::Vector if !before.is_empty() => {
            let text = edited(key, before, typed);
            let numbers = text.trim_matches(['[', ']']).split(',');
            let mut numbers: Vec<f64> = numbers.map_while(|number| number.trim().parse().ok()).collect();
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.spacing_mut().button_padding.x = 2.0;
            let size = [(width - 4.0) / 3.0, height];
            let fields: Vec<Response> =
                numbers.iter_mut().map(|number| ui.add_sized(size, number_field(key, number))).collect();
            let response = fields.into_iter().reduce(|all, one| all | one)?;
            let numbers: Vec<String> = numbers.into_iter().map(|number| number_text(key, number)).collect();
            dragged(key, &response, format!("[{}]", numbers.join(", ")), waits, typed)
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

/// What a field shows: what is being typed or dragged there, or else what it was `before`.
fn edited(key: &Key, before: &str, typed: &Option<Typed>) -> String {
    match typed {
        Some((name, text)) if *name == key.name => text.clone(),
        _ => before.to_string(),
    }
}

/// The text of numbers where they have changed, once that is to hold.
fn dragged(key: &Key, response: &Response, text: String, waits: bool, typed: &mut Option<Typed>) -> Option<String> {
    if waits && response.dragged() {
        *typed = Some((key.name, text));
        return None;
    }
    let was_dragged = typed.take_if(|(name, _)| *name == key.name).is_some();
    (response.changed() || was_dragged && response.drag_stopped()).then_some(text)
}

/// Text holds when it is complete, as most of what is typed on the way is wrong.
fn text_field(ui: &mut Ui, key: &Key, before: &str, typed: &mut Option<Typed>) -> Option<String> {
    let mut text = edited(key, before, typed);
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

/// A number that is dragged in steps of a part of itself, or typed, which holds when it is complete.
fn number_field<'a>(key: &'a Key, number: &'a mut f64) -> DragValue<'a> {
    let speed = if key.form == Form::Whole { 0.1 } else { (number.abs() * 0.01).max(1e-4) };
    let field = DragValue::new(number)
        .speed(speed)
        .update_while_editing(false)
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
