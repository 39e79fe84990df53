//! Draws the panels of egui over a finished picture, with the engine's own passes.

use bytemuck::{Pod, bytes_of};
use egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Primitive, Vertex};
use egui::{Color32, Rect, TextureId, TexturesDelta};
use glam::{Vec2, Vec4};

use crate::engine::{
    self, Bindings, Buffer, Device, Draw, DrawDescription, DrawPipeline, Image, ImageKind, Recorder, Start, Target,
    Vertices, vk,
};
use crate::layout::{PanelPush, PanelVertex};
use crate::shaders;

/// The texture with egui's glyphs, in which lines and areas have their white as well: the only one, as panels here show no
/// pictures.
const GLYPHS: TextureId = TextureId::Managed(0);

/// The pass that draws panels: one draw for all of them, in which a rectangle beside each vertex clips it.
pub struct Overlay {
    pipeline: DrawPipeline,
    /// None until egui has sent its glyphs.
    glyphs: Option<Image>,
    bindings: Option<Bindings<DrawPipeline>>,
    vertices: Grown<PanelVertex>,
    indices: Grown<u32>,
    clips: Grown<Vec4>,
    device: Device,
}

/// What is sent to the device for each picture, and a buffer there that grows with it and is kept.
struct Grown<T> {
    data: Vec<T>,
    buffer: Buffer,
}

impl Overlay {
    /// Prepares to draw into pictures of `format`.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn new(device: &Device, format: vk::Format) -> engine::Result<Self> {
        Ok(Self {
            pipeline: pipeline(device, format)?,
            glyphs: None,
            bindings: None,
            vertices: Grown::new(device, "panels.vertices", 1 << 18)?,
            indices: Grown::new(device, "panels.indices", 1 << 17)?,
            clips: Grown::new(device, "panels.clips", 1 << 12)?,
            device: device.clone(),
        })
    }

    /// Makes the pipeline anew, of shaders that have been replaced, for pictures of `format`.
    ///
    /// # Errors
    /// What the engine reports; then the one before stays.
    pub fn renew_pipeline(&mut self, format: vk::Format) -> engine::Result<()> {
        self.pipeline = pipeline(&self.device, format)?;
        self.bindings = None;
        Ok(())
    }

    /// Takes in what egui has changed in its glyphs, which it seldom does, and waits for the device then.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn update_textures(&mut self, mut changes: TexturesDelta) -> engine::Result<()> {
        let mut deltas = changes.set.get(&GLYPHS).into_iter().flatten();
        let result = deltas.try_for_each(|delta| self.update_glyphs(delta));
        // egui does not take it for seen before that.
        changes.clear();
        result
    }

    fn update_glyphs(&mut self, delta: &ImageDelta) -> engine::Result<()> {
        let ImageData::Color(image) = &delta.image;
        let extent = image.size.map(|side| side as u32);
        let texels: Vec<[u8; 4]> = image.pixels.iter().map(Color32::to_array).collect();
        if let (Some(corner), Some(glyphs)) = (delta.pos, &self.glyphs) {
            return glyphs.write_part(corner.map(|place| place as u32), extent, &texels);
        }
        // Recordings at work hold on to the one before.
        let glyphs = Image::new(&self.device, "panels.glyphs", ImageKind::Texture, extent)?;
        glyphs.write(&texels)?;
        self.glyphs = Some(glyphs);
        self.bindings = None;
        Ok(())
    }

    /// Records what egui has tessellated over `picture`, into which the recording has drawn before; a point is so many
    /// pixels.
    ///
    /// # Errors
    /// What the engine reports.
    pub fn record(
        &mut self,
        recorder: &mut Recorder<'_>,
        primitives: &[ClippedPrimitive],
        pixels_per_point: f32,
        picture: &Image,
    ) -> engine::Result<()> {
        self.collect(primitives, pixels_per_point);
        let Some(glyphs) = self.glyphs.as_ref().filter(|_| !self.indices.data.is_empty()) else {
            return Ok(());
        };
        let grown = self.vertices.send(recorder, &self.device)? | self.clips.send(recorder, &self.device)?;
        self.indices.send(recorder, &self.device)?;
        let bindings = match self.bindings.take().filter(|_| !grown) {
            Some(bindings) => bindings,
            None => Bindings::new(
                &self.pipeline,
                &[
                    ("Vertices", (&self.vertices.buffer).into()),
                    ("Clips", (&self.clips.buffer).into()),
                    ("u_Texture", glyphs.into()),
                ],
            )?,
        };
        let bindings = self.bindings.insert(bindings);
        let points = picture.extent().map(|side| side as f32 / pixels_per_point);
        let push = PanelPush { points: Vec2::from_array(points) };
        let vertices = Vertices::Indexed(&self.indices.buffer, self.indices.data.len() as u32);
        let target = Target { color: Some((picture, Start::Keep)), resolve: None, depth: None };
        recorder.draw("view/panels", &target, &[Draw { bindings, push: bytes_of(&push), vertices }])
    }

    /// Joins all meshes into one.
    fn collect(&mut self, primitives: &[ClippedPrimitive], pixels_per_point: f32) {
        self.vertices.data.clear();
        self.indices.data.clear();
        self.clips.data.clear();
        for ClippedPrimitive { clip_rect: Rect { min, max }, primitive } in primitives {
            let Primitive::Mesh(mesh) = primitive else { continue };
            let first = self.vertices.data.len() as u32;
            let clip = self.clips.data.len() as u32;
            self.clips.data.push((pixels_per_point * Vec4::new(min.x, min.y, max.x, max.y)).round());
            self.indices.data.extend(mesh.indices.iter().map(|index| first + index));
            self.vertices.data.extend(mesh.vertices.iter().map(|vertex| panel_vertex(vertex, clip)));
        }
    }
}

fn panel_vertex(vertex: &Vertex, clip: u32) -> PanelVertex {
    PanelVertex {
        position: Vec2::new(vertex.pos.x, vertex.pos.y),
        place: Vec2::new(vertex.uv.x, vertex.uv.y),
        color: u32::from_le_bytes(vertex.color.to_array()),
        clip,
    }
}

fn pipeline(device: &Device, format: vk::Format) -> engine::Result<DrawPipeline> {
    let description = DrawDescription {
        vertex: shaders::VIEW_PANELS_VERT,
        fragment: Some(shaders::VIEW_PANELS_FRAG),
        color_format: format,
        samples: 1,
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        depth: false,
        premultiplied: true,
    };
    DrawPipeline::new(device, &description)
}

impl<T: Pod> Grown<T> {
    fn new(device: &Device, name: &str, bytes: u64) -> engine::Result<Self> {
        Ok(Self { data: Vec::new(), buffer: Buffer::zeroed(device, name, bytes)? })
    }

    /// Records the data; true where they needed a larger buffer, in which there is room for twice as much.
    fn send(&mut self, recorder: &mut Recorder<'_>, device: &Device) -> engine::Result<bool> {
        let needed = size_of_val(&self.data[..]) as u64;
        let grows = needed > self.buffer.size();
        if grows {
            self.buffer = Buffer::zeroed(device, self.buffer.name(), 2 * needed)?;
        }
        recorder.update(&self.buffer, &self.data)?;
        Ok(grows)
    }
}
