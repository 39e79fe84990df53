use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use glam::{DVec3, Vec2, Vec3};
use gltf::json;
use json::accessor::Type;
use json::mesh::{Mode, Primitive, Semantic};
use json::validation::Checked;

use super::super::error::Fault;
use super::super::groups::Groups;
use super::accessor::{Accessors, Index, name};
use super::item;
use super::node::Placed;
use crate::model::{SourceMesh, UpAxis, VertexAttribute};

/// What a primitive has for each of its vertices.
type Attributes = BTreeMap<Checked<Semantic>, Index>;

/// Vertices of a node, where they are in the mesh.
struct Vertices {
    /// The accessor of their positions.
    positions: Index,
    first: u32,
    count: u32,
    /// Place of each in a texture, u across and v up it.
    uvs: Option<Vec<Vec2>>,
}

/// One mesh of all those of a file, as it comes together.
pub(super) struct Assembly<'a> {
    root: &'a json::Root,
    accessors: &'a Accessors<'a>,
    mesh: SourceMesh,
    /// Place of each corner in a texture until one has none.
    uvs: Option<Vec<Vec2>>,
    groups: Groups,
    /// Number of each name of an attribute; those of the last vertices may be missing until the end.
    attributes: HashMap<String, usize>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(root: &'a json::Root, accessors: &'a Accessors<'a>) -> Self {
        let (mesh, groups, attributes) = Default::default();
        Self { root, accessors, mesh, uvs: Some(Vec::new()), groups, attributes }
    }

    /// Adds the mesh of a node. The node is a surface, and the primitives that have the same attributes share vertices.
    pub(super) fn add(&mut self, placed: &Placed<'a>) -> Result<(), Fault> {
        let Some(index) = placed.node.mesh else { return Ok(()) };
        let mesh = item(&self.root.meshes, index, "mesh", &placed.name)?;
        let surface = self.mesh.surfaces.last().map_or(0, |last| last + 1);
        let mut shared: BTreeMap<&Attributes, Rc<Vertices>> = BTreeMap::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("primitive {number} of mesh {}", index.value());
            let triangles: fn(usize) -> usize = match primitive.mode {
                Checked::Valid(Mode::Triangles) => |count| count / 3,
                Checked::Valid(Mode::TriangleStrip | Mode::TriangleFan) => |count| count.saturating_sub(2),
                Checked::Valid(_) => continue,
                Checked::Invalid => return Err(Fault::at(place, "its `mode` is none; give 4, 5 or 6, for triangles")),
            };
            let vertices = match shared.get(&primitive.attributes) {
                Some(vertices) => vertices.clone(),
                None => {
                    // What has no positions isn't to be drawn.
                    let Some(vertices) = self.vertices(primitive, placed, surface, &place)? else { continue };
                    let vertices = Rc::new(vertices);
                    shared.insert(&primitive.attributes, vertices.clone());
                    vertices
                }
            };
            let indices = self.indices(primitive, &vertices, &place)?;
            let material = primitive.material.map(|material| item(&self.root.materials, material, "material", &place));
            let names = [&placed.node.name, &mesh.name, material.transpose()?.map_or(&None, |material| &material.name)];
            let first_corner = self.mesh.corners.len();
            let is_mirrored = placed.transform.determinant() < 0.0;
            for triangle in 0..triangles(indices.len()) {
                let [a, b, c] = corners(primitive.mode, triangle);
                let corners = if is_mirrored { [a, c, b] } else { [a, b, c] }.map(|corner| indices[corner]);
                self.mesh.corners.extend(corners.map(|vertex| vertices.first + vertex));
                self.mesh.face_sizes.push(3);
                match (&mut self.uvs, &vertices.uvs) {
                    (Some(uvs), Some(places)) => uvs.extend(corners.map(|vertex| places[vertex as usize])),
                    _ => self.uvs = None,
                }
            }
            let names = names.into_iter().flatten().filter(|name| !name.is_empty());
            let groups: Result<Vec<usize>, String> = names.map(|name| self.groups.number(name)).collect();
            self.groups.choose(groups.map_err(|problem| Fault::at(&place, problem))?);
            self.groups.add(&self.mesh.corners[first_corner..], self.mesh.positions.len());
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<SourceMesh, Fault> {
        let count = self.mesh.positions.len();
        for attribute in &mut self.mesh.attributes {
            fill(attribute, count, self.accessors, "the last node")?;
        }
        Ok(SourceMesh {
            uvs: self.uvs,
            groups: self.groups.finish(),
            metres_per_unit: Some(1.0),
            up: UpAxis::Y,
            ..self.mesh
        })
    }

    /// Adds the vertices of a primitive, where it has positions.
    fn vertices(
        &mut self,
        primitive: &Primitive,
        placed: &Placed<'_>,
        surface: u32,
        place: &str,
    ) -> Result<Option<Vertices>, Fault> {
        let Some(&positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(None) };
        let numbers = self.numbers(positions, None, &[Type::Vec3], "POSITION", place)?;
        let first = self.mesh.positions.len();
        for (at, position) in numbers.chunks_exact(3).enumerate() {
            let position = Vec3::from_slice(position);
            let in_scene = placed.transform.transform_point3(DVec3::from(position)).as_vec3();
            if !in_scene.is_finite() {
                let problem = format!(
                    "its element {at} is {position}, which {} takes to {in_scene}; make every coordinate a finite number",
                    placed.name
                );
                return Err(Fault::at(name(positions), problem));
            }
            self.mesh.positions.push(in_scene);
        }
        let end = self.mesh.positions.len();
        let count = end - first;
        self.mesh.surfaces.resize(end, surface);
        let mut uvs = None;
        for (semantic, &accessor) in &primitive.attributes {
            match semantic {
                Checked::Valid(Semantic::TexCoords(0)) => {
                    let numbers =
                        self.numbers(accessor, Some((positions, count)), &[Type::Vec2], "TEXCOORD_0", place)?;
                    // glTF counts v downwards.
                    let places = numbers.chunks_exact(2).map(|place| Vec2::new(place[0], 1.0 - place[1]));
                    uvs = Some(places.collect::<Vec<_>>()).filter(|uvs| uvs.iter().all(|place| place.is_finite()));
                }
                Checked::Valid(Semantic::Colors(0)) => {
                    let kinds = [Type::Vec3, Type::Vec4];
                    let numbers = self.numbers(accessor, Some((positions, count)), &kinds, "COLOR_0", place)?;
                    let width = numbers.len() / count.max(1);
                    for (channel, name) in
                        ["color.r", "color.g", "color.b", "color.a"].into_iter().take(width).enumerate()
                    {
                        let values = numbers.iter().skip(channel).step_by(width).copied();
                        self.put(name, first, values, place)?;
                    }
                }
                Checked::Valid(Semantic::Extras(name)) if self.accessors.shape(accessor, place)?.1 == Type::Scalar => {
                    let name = format!("_{name}");
                    let numbers = self.numbers(accessor, Some((positions, count)), &[Type::Scalar], &name, place)?;
                    self.put(&name, first, numbers.into_iter(), place)?;
                }
                _ => {}
            }
        }
        Ok(Some(Vertices { positions, first: first as u32, count: count as u32, uvs }))
    }

    /// The numbers of an attribute: as many elements as there are positions, and of the right kind.
    fn numbers(
        &self,
        accessor: Index,
        positions: Option<(Index, usize)>,
        kinds: &[Type],
        semantic: &str,
        place: &str,
    ) -> Result<Vec<f32>, Fault> {
        let (count, kind) = self.accessors.shape(accessor, place)?;
        if !kinds.contains(&kind) {
            let expected: Vec<String> =
                kinds.iter().map(|kind| format!("\"{}\"", format!("{kind:?}").to_uppercase())).collect();
            let problem = format!("its `type` must be {} for {semantic}", expected.join(" or "));
            return Err(Fault::at(name(accessor), problem));
        }
        if let Some((positions, needed)) = positions.filter(|&(_, needed)| needed != count) {
            let problem = format!(
                "it has {count} elements for {semantic}, but {} has {needed} for POSITION; give both as many",
                name(positions)
            );
            return Err(Fault::at(name(accessor), problem));
        }
        self.accessors.numbers(accessor, place)
    }

    /// Gives an attribute to the vertices from `first` on.
    fn put(&mut self, name: &str, first: usize, values: impl Iterator<Item = f32>, place: &str) -> Result<(), Fault> {
        let attributes = &mut self.mesh.attributes;
        let index = *self.attributes.entry(name.into()).or_insert_with(|| {
            attributes.push(VertexAttribute { name: name.into(), values: Vec::new() });
            attributes.len() - 1
        });
        fill(&mut attributes[index], first, self.accessors, place)?;
        attributes[index].values.extend(values);
        Ok(())
    }

    /// The vertices that the triangles of a primitive name, from 0 within the primitive.
    fn indices(&self, primitive: &Primitive, vertices: &Vertices, place: &str) -> Result<Vec<u32>, Fault> {
        let Some(accessor) = primitive.indices else {
            self.accessors.spend(vertices.count as usize, place)?;
            return Ok((0..vertices.count).collect());
        };
        let indices = self.accessors.indices(accessor, place)?;
        match indices.iter().position(|&vertex| vertex >= vertices.count) {
            Some(at) => {
                let problem = format!(
                    "its element {at} is vertex {}, but {} has {} vertices, numbered from 0; correct it or add the vertex",
                    indices[at],
                    name(vertices.positions),
                    vertices.count
                );
                Err(Fault::at(name(accessor), problem))
            }
            None => Ok(indices),
        }
    }
}

/// Gives an attribute to vertices that have none: white where it is a colour, as such vertices are drawn, and else 0.
fn fill(attribute: &mut VertexAttribute, count: usize, accessors: &Accessors<'_>, place: &str) -> Result<(), Fault> {
    let lack = count.saturating_sub(attribute.values.len());
    accessors.spend(lack, place)?;
    let value = if attribute.name.starts_with("color.") { 1.0 } else { 0.0 };
    attribute.values.resize(attribute.values.len() + lack, value);
    Ok(())
}

/// The corners of a triangle, as indices into those of its primitive.
fn corners(mode: Checked<Mode>, triangle: usize) -> [usize; 3] {
    match mode {
        // Every second triangle of a strip is turned, so that all of them have the same front.
        Checked::Valid(Mode::TriangleStrip) if triangle % 2 == 1 => [triangle, triangle + 2, triangle + 1],
        Checked::Valid(Mode::TriangleStrip) => [triangle, triangle + 1, triangle + 2],
        Checked::Valid(Mode::TriangleFan) => [triangle + 1, triangle + 2, 0],
        _ => [3 * triangle, 3 * triangle + 1, 3 * triangle + 2],
    }
}
