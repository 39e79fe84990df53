//! Draws a cloth that sine waves move in the vertex shader, to compare with one that is simulated (document 001).

use bytemuck::bytes_of;
use glam::{Vec2, Vec3};

use super::camera::Bounds;
use super::stage::{Stage, pipeline};
use crate::engine::{self, Bindings, Device, Draw, DrawPipeline, Vertices, vk};
use crate::layout::WavePush;
use crate::scene::Scene;
use crate::shaders;

/// A cloth that hangs from its upper edge and waves by itself, whatever it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// The middle of its upper edge \[m\].
    pub top: Vec3,
    /// Across and down \[m\].
    pub size: Vec2,
    /// Cells across and down.
    pub cells: [u32; 2],
}

impl Wave {
    /// The one that a scene asks for: as large as its grid.
    #[must_use]
    pub fn of(scene: &Scene) -> Option<Self> {
        let cells = [scene.columns - 1, (scene.rows - 1).max(1)];
        let size = scene.spacing * Vec2::new(cells[0] as f32, cells[1] as f32);
        scene.sine_cloth.map(|top| Self { top, size, cells })
    }

    /// Height of the waves at its lower edge \[m\].
    fn height(&self) -> f32 {
        0.08 * self.size.y
    }

    /// The space that it waves in.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let half = Vec3::new(self.size.x / 2.0, 0.0, self.height());
        Bounds { least: self.top - half - Vec3::Y * self.size.y, greatest: self.top + half }
    }
}

/// The draw passes of one such cloth.
pub(super) struct WaveView {
    wave: Wave,
    shadow: Bindings<DrawPipeline>,
    surface: Bindings<DrawPipeline>,
}

impl WaveView {
    pub(super) fn new(device: &Device, wave: Wave, stage: &Stage, format: vk::Format) -> engine::Result<Self> {
        let view = stage.parameters();
        let shadow = pipeline(device, shaders::VIEW_WAVE_SHADOW_VERT, None)?;
        let surface = pipeline(device, shaders::VIEW_WAVE_VERT, Some((shaders::VIEW_CLOTH_FRAG, format)))?;
        Ok(Self {
            wave,
            shadow: Bindings::new(&shadow, &[view])?,
            surface: Bindings::new(&surface, &[view, stage.palette(), stage.texture(), stage.shadow_map()])?,
        })
    }

    /// What its draws are told, for its waves at `time` \[s\].
    pub(super) fn push(&self, time: f64) -> WavePush {
        let Wave { top, size, cells: [columns, rows] } = self.wave;
        // All its waves start again after 20 s, so that an `f32` holds the time however long a simulation runs.
        let (height, time) = (self.wave.height(), time.rem_euclid(20.0) as f32);
        WavePush { top: top.extend(0.0), size, height, time, columns, rows, padding: [0; 2] }
    }

    /// Its draws as the light and as the camera see it.
    pub(super) fn draws<'a>(&'a self, push: &'a WavePush) -> [Draw<'a>; 2] {
        let vertices = Vertices::Count(6 * push.columns * push.rows);
        [&self.shadow, &self.surface].map(|bindings| Draw { bindings, push: bytes_of(push), vertices })
    }
}
