//! What moving the mouse does to the camera.

use tautline::glam::Vec2;
use tautline::render::Camera;
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta};

/// Where the mouse is and what of the camera it drags.
#[derive(Clone, Copy, Default)]
pub struct Mouse {
    cursor: Vec2,
    drag: Option<Drag>,
}

#[derive(Clone, Copy, PartialEq)]
enum Drag {
    Orbit,
    Pan,
}

impl Drag {
    fn turn(self, camera: &mut Camera, way: Vec2, height: u32) {
        let [right, down] = (way / height.max(1) as f32).to_array();
        match self {
            // Across the height of the window, half a turn; what was grabbed follows the mouse.
            Self::Orbit => camera.orbit(-right * std::f32::consts::PI, down * std::f32::consts::PI),
            Self::Pan => camera.pan(-right, down),
        }
    }
}

impl Mouse {
    /// Where it is, from the upper left corner of the window \[pixels\].
    pub fn cursor(&self) -> Vec2 {
        self.cursor
    }

    /// Drags the camera no further.
    pub fn let_go(&mut self) {
        self.drag = None;
    }

    /// Follows the mouse in a window of `height` pixels; true where the camera has moved with it.
    pub fn moved(&mut self, to: PhysicalPosition<f64>, height: u32, camera: &mut Camera) -> bool {
        let to = Vec2::new(to.x as f32, to.y as f32);
        let way = to - std::mem::replace(&mut self.cursor, to);
        if let Some(drag) = self.drag {
            drag.turn(camera, way, height);
        }
        self.drag.is_some()
    }

    /// Turns the camera by the way from where the left button was pressed: on to where it was released, or on and on.
    pub fn orbit(&mut self, pressed: Vec2, released: Option<Vec2>, height: u32, camera: &mut Camera) {
        Drag::Orbit.turn(camera, released.unwrap_or(self.cursor) - pressed, height);
        if released.is_none() {
            self.drag = Some(Drag::Orbit);
        }
    }

    /// Starts to pan, or ends what the button did.
    pub fn button(&mut self, state: ElementState, button: MouseButton) {
        let drag = match button {
            MouseButton::Left => Drag::Orbit,
            MouseButton::Right | MouseButton::Middle => Drag::Pan,
            _ => return,
        };
        match state {
            ElementState::Pressed if drag == Drag::Pan => self.drag = Some(drag),
            ElementState::Released if self.drag == Some(drag) => self.drag = None,
            _ => {}
        }
    }
}

/// How much nearer the wheel brings the camera: a factor on its distance.
pub fn zoom(delta: MouseScrollDelta) -> f32 {
    let lines = match delta {
        MouseScrollDelta::LineDelta(_, lines) => lines,
        MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / 40.0,
    };
    0.9_f32.powf(lines.clamp(-20.0, 20.0))
}
