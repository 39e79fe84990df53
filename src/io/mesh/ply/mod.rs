//! PLY, text and binary.

mod rows;
#[cfg(test)]
mod tests;

use glam::{Vec2, Vec3};
use ply_rs_bw::ply::{ElementDef, Encoding, Property, PropertyType, ScalarType};
use rows::{Row, Rows};

use super::error::Fault;
use crate::model::{SourceMesh, UpAxis, VertexAttribute};

/// Pairs of properties of a vertex that are its place in a texture.
const TEXTURE_PLACES: [[&str; 2]; 4] = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];

/// Properties of a vertex that are a colour, as attributes have it.
const COLORS: [(&str, &str); 4] = [("red", "color.r"), ("green", "color.g"), ("blue", "color.b"), ("alpha", "color.a")];

/// The mesh of a file. Normals, and elements other than `vertex` and `face`, are passed over.
pub(super) fn parse(bytes: &[u8]) -> Result<SourceMesh, Fault> {
    let (header, mut rows) = Rows::of(bytes)?;
    let vertex = header.elements.get("vertex").ok_or_else(|| {
        Fault::in_file("its header has no element `vertex`; give it one with the properties `x`, `y` and `z`")
    })?;
    if header.elements.get("tristrips").is_some_and(|strips| strips.count > 0) {
        let problem = "triangle strips are not read; save the mesh with an element `face` in their place";
        return Err(Fault::at("element `tristrips`", problem));
    }
    let mut vertices = Vertices::of(vertex)?;
    let mut faces = Faces { vertex_count: vertex.count, ..Faces::default() };
    for element in header.elements.values() {
        match element.name.as_str() {
            "vertex" => rows.each(element, |row| vertices.add(row))?,
            "face" => {
                faces.choose(element)?;
                rows.each(element, |row| faces.add(row))?;
            }
            _ => rows.each(element, |_| Ok(()))?,
        }
    }
    let Faces { sizes, corners, lines, .. } = faces;
    let uvs = faces.places.or_else(|| {
        let places = vertices.places?;
        Some(corners.iter().map(|&vertex| places[vertex as usize]).collect())
    });
    Ok(SourceMesh {
        surfaces: vec![0; vertices.positions.len()],
        positions: vertices.positions,
        face_sizes: sizes,
        corners,
        uvs: uvs.filter(|uvs: &Vec<Vec2>| uvs.iter().all(|place| place.is_finite())),
        attributes: vertices.attributes.into_iter().map(|(_, _, attribute)| attribute).collect(),
        face_lines: (header.encoding == Encoding::Ascii).then_some(lines),
        up: UpAxis::Z,
        ..SourceMesh::default()
    })
}

/// The vertices so far, and where their numbers are in a row.
struct Vertices {
    axes: [usize; 3],
    positions: Vec<Vec3>,
    place_columns: Option<[usize; 2]>,
    places: Option<Vec<Vec2>>,
    /// Each with where its number is in a row, and what that is divided by.
    attributes: Vec<(usize, f32, VertexAttribute)>,
}

impl Vertices {
    fn of(element: &ElementDef) -> Result<Self, Fault> {
        let scalars = element.properties.values().filter_map(|property| match &property.data_type {
            PropertyType::Scalar(number) => Some((property.name.as_str(), number)),
            PropertyType::List(..) => None,
        });
        let scalars: Vec<(&str, &ScalarType)> = scalars.collect();
        let column = |name: &str| scalars.iter().position(|&(found, _)| found == name);
        let mut axes = [0; 3];
        for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
            *axis = column(name).ok_or_else(|| {
                Fault::at(
                    "element `vertex`",
                    format!("it has no property `{name}`; give it `x`, `y` and `z`, each a number"),
                )
            })?;
        }
        let place_names = TEXTURE_PLACES.into_iter().find(|names| names.iter().all(|name| column(name).is_some()));
        let place_columns = place_names.and_then(|[u, v]| Some([column(u)?, column(v)?]));
        let mut attributes = Vec::new();
        for (index, &(name, number)) in scalars.iter().enumerate() {
            let is_known = ["x", "y", "z", "nx", "ny", "nz"].contains(&name)
                || place_names.is_some_and(|names| names.contains(&name));
            if !is_known {
                let color = COLORS.into_iter().find(|&(known, _)| known == name);
                let divisor = if color.is_some() { full_color(number) } else { 1.0 };
                let name = color.map_or(name, |(_, name)| name).into();
                attributes.push((index, divisor, VertexAttribute { name, values: Vec::new() }));
            }
        }
        let places = place_columns.map(|_| Vec::new());
        Ok(Self { axes, positions: Vec::new(), place_columns, places, attributes })
    }

    fn add(&mut self, row: Row) -> Result<(), String> {
        let position = Vec3::from(self.axes.map(|axis| row.numbers[axis]));
        if !position.is_finite() {
            return Err(format!("this vertex lies at {position}; make every coordinate a finite number of 32 bits"));
        }
        self.positions.push(position);
        if let (Some(places), Some(columns)) = (&mut self.places, self.place_columns) {
            places.push(Vec2::from(columns.map(|column| row.numbers[column])));
        }
        for (column, divisor, attribute) in &mut self.attributes {
            attribute.values.push(row.numbers[*column] / *divisor);
        }
        Ok(())
    }
}

/// The largest number of a type of integers, which means a full colour; 1 for others.
fn full_color(number: &ScalarType) -> f32 {
    match number {
        ScalarType::Char => 127.0,
        ScalarType::UChar => 255.0,
        ScalarType::Short => 32_767.0,
        ScalarType::UShort => 65_535.0,
        ScalarType::Int => 2_147_483_647.0,
        ScalarType::UInt => 4_294_967_295.0,
        ScalarType::Float | ScalarType::Double => 1.0,
    }
}

/// The faces so far, and where their lists are in a row.
#[derive(Default)]
struct Faces {
    vertex_count: usize,
    corners_column: usize,
    places_column: Option<usize>,
    sizes: Vec<u32>,
    corners: Vec<u32>,
    lines: Vec<u32>,
    /// Place of each corner in a texture, where the faces have them and not the vertices.
    places: Option<Vec<Vec2>>,
}

impl Faces {
    /// Finds the lists of the element.
    fn choose(&mut self, element: &ElementDef) -> Result<(), Fault> {
        let lists = element.properties.values().filter(|property| matches!(property.data_type, PropertyType::List(..)));
        let lists: Vec<&str> = lists.map(|property| property.name.as_str()).collect();
        let corners = lists.iter().position(|name| ["vertex_indices", "vertex_index"].contains(name));
        self.corners_column = corners.ok_or_else(|| {
            Fault::at(
                "element `face`",
                "it has no list `vertex_indices` or `vertex_index`; give it one with its corners",
            )
        })?;
        self.places_column = lists.iter().position(|&name| name == "texcoord");
        self.places = self.places_column.map(|_| Vec::new());
        Ok(())
    }

    fn add(&mut self, row: Row) -> Result<(), String> {
        let corners = row.lists[self.corners_column]
            .to_u32_list()
            .ok_or("a corner of this face is no whole number from 0 upwards; give it the number of a vertex")?;
        let size = corners.len();
        if size < 3 {
            return Err(format!("this face has {size} corners; a face needs at least 3"));
        }
        if let Some(vertex) = corners.iter().find(|&&vertex| vertex as usize >= self.vertex_count) {
            return Err(format!(
                "this face uses vertex {vertex}, but the file has {} vertices, numbered from 0; correct the face or add the vertex",
                self.vertex_count
            ));
        }
        if let Some(places) = &mut self.places {
            match self.places_column.map(|column| &row.lists[column]) {
                Some(Property::ListFloat(numbers)) if numbers.len() == 2 * size => {
                    places.extend(numbers.chunks_exact(2).map(Vec2::from_slice));
                }
                _ => self.places = None,
            }
        }
        self.corners.extend(corners);
        self.sizes.push(size as u32);
        self.lines.push(row.line);
        Ok(())
    }
}
