//! What moving the mouse does to the camera.

use tautline::render::Camera;
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta};

/// Where the mouse is and what it drags.
#[derive(Default)]
pub struct Mouse {
    cursor: PhysicalPosition<f64>,
    drag: Option<Drag>,
}

#[derive(Clone, Copy, PartialEq)]
enum Drag {
    Orbit,
    Pan,
}

impl Mouse {
    /// Follows the mouse in a window of `height` pixels; true where the camera has moved with it.
    pub fn moved(&mut self, to: PhysicalPosition<f64>, height: u32, camera: &mut Camera) -> bool {
        let (right, down) = ((to.x - self.cursor.x) as f32, (to.y - self.cursor.y) as f32);
        self.cursor = to;
        let height = height.max(1) as f32;
        match self.drag {
            // Across the height of the window, half a turn; what was grabbed follows the mouse.
            Some(Drag::Orbit) => {
                let half_turn = std::f32::consts::PI / height;
                camera.orbit(-right * half_turn, down * half_turn);
            }
            Some(Drag::Pan) => camera.pan(-right / height, down / height),
            None => {}
        }
        self.drag.is_some()
    }

    /// Starts or ends to drag.
    pub fn button(&mut self, state: ElementState, button: MouseButton) {
        let drag = match button {
            MouseButton::Left => Drag::Orbit,
            MouseButton::Right | MouseButton::Middle => Drag::Pan,
            _ => return,
        };
        match state {
            ElementState::Pressed => self.drag = Some(drag),
            ElementState::Released if self.drag == Some(drag) => self.drag = None,
            ElementState::Released => {}
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
