//! What becomes of the mouse's events: the camera's, or those of hands.

use anyhow::Result;
use tautline::glam::Vec2;
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, Modifiers, MouseButton};

use super::View;
use super::hands::{Orbit, Sight, Tool};

impl View {
    pub(super) fn modifiers(&mut self, modifiers: Modifiers) {
        let keys = modifiers.state();
        self.tool = match (keys.control_key(), keys.shift_key()) {
            (true, _) => Tool::Cut,
            (_, true) => Tool::Pin,
            _ => Tool::Grab,
        };
    }

    pub(super) fn cursor_moved(&mut self, to: PhysicalPosition<f64>) -> Result<()> {
        self.changed |= self.mouse.moved(to, self.size.height, &mut self.camera) || self.hands.hold_something();
        // At once, and not with the next frame, so that a cut follows every bend of the stroke.
        self.follow_mouse()
    }

    pub(super) fn mouse_button(&mut self, state: ElementState, button: MouseButton) {
        self.mouse.button(state, button);
        if button == MouseButton::Left {
            let sight = self.sight();
            match state {
                ElementState::Pressed => self.hands.press(self.tool, &mut self.run.simulation, &sight),
                ElementState::Released => self.hands.release(&mut self.run.simulation, &sight),
            }
            self.changed = true;
        }
    }

    /// Ends what buttons and keys had begun: what becomes of them, another window is told.
    pub(super) fn unfocused(&mut self) {
        self.hands.let_go(&mut self.run.simulation);
        self.mouse.let_go();
        self.tool = Tool::default();
        self.changed = true;
    }

    /// Lets hands do in the next frame what the mouse has told them.
    pub(super) fn use_hands(&mut self) -> Result<()> {
        let sight = self.sight();
        if let Some(Orbit { from, released }) = self.hands.take_found(&mut self.run, &sight)? {
            self.mouse.orbit(from, released, self.size.height, &mut self.camera);
        }
        // The camera may have moved, and the mouse not.
        self.follow_mouse()?;
        self.panels.stroke.trace = self.hands.trace().map(|place| place.to_array()).collect();
        Ok(())
    }

    fn follow_mouse(&mut self) -> Result<()> {
        let sight = self.sight();
        if !self.hands.follow(&mut self.run.simulation, &sight)? {
            let solver = self.scene.solver;
            self.panels
                .tell(format!("{solver} cannot be cut: only the constraints of xpbd, pbd and xpbd-document can"));
        }
        Ok(())
    }

    fn sight(&self) -> Sight {
        let extent = Vec2::new(self.size.width.max(1) as f32, self.size.height.max(1) as f32);
        let pixels_per_point = self.window.scale_factor() as f32;
        Sight { camera: self.camera, extent, cursor: self.mouse.cursor(), pixels_per_point }
    }
}
