//! The mouse over the panels, which have to be drawn again for it, and beside them, where nothing of them changes.

use egui::{Event, Order, pos2};
use winit::dpi::PhysicalPosition;

use super::{Panels, style};

impl Panels {
    /// Whether a motion of the mouse shows in the panels: it is over one of them, has just left one, or drags something.
    pub(super) fn shows_motion(&mut self, to: PhysicalPosition<f64>) -> bool {
        let is_over = self.is_over(to);
        let was_over = std::mem::replace(&mut self.pointed_at, is_over);
        let shows = was_over || is_over || self.context.egui_is_using_pointer();
        // Until they are drawn, only where it is in the end counts, and not each of the places on its way.
        let events = &mut self.input.egui_input_mut().events;
        if let [.., Event::PointerMoved(_), Event::PointerMoved(_)] = events[..] {
            events.swap_remove(events.len() - 2);
        }
        shows
    }

    /// Whether the mouse is over one of the panels, or drags something that began there.
    pub(super) fn has_pointer(&self) -> bool {
        self.pointed_at || self.context.egui_is_using_pointer()
    }

    fn is_over(&self, at: PhysicalPosition<f64>) -> bool {
        let at = pos2(at.x as f32, at.y as f32) / self.pixels_per_point;
        let right = self.context.content_rect().right();
        let is_over_panel = self.visible && at.x >= right - style::panel_width(right);
        is_over_panel || self.context.layer_id_at(at).is_some_and(|layer| layer.order != Order::Background)
    }
}
