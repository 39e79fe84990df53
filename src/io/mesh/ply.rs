//! PLY, text and binary.

use std::collections::HashSet;

use glam::{Vec2, Vec3};
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

use super::error::{Fault, shortened};
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

/// What a file has of one thing: numbers in the order of the header, and lists likewise.
#[derive(Default)]
struct Row {
    numbers: Vec<f32>,
    lists: Vec<Property>,
    /// Its line, in a text.
    line: u32,
}

impl PropertyAccess for Row {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, _name: &str, property: Property) -> PropertyAccessResult {
        match property.to_f32_lossy() {
            Some(number) => self.numbers.push(number),
            None => self.lists.push(property),
        }
        PropertyAccessResult::Set
    }
}

/// The part of a file behind its header, row by row.
struct Rows<'a> {
    encoding: Encoding,
    parser: Parser<Row>,
    rest: &'a [u8],
    /// Number of lines so far.
    line: u32,
}

impl<'a> Rows<'a> {
    /// The header of a file, and what follows it.
    fn of(bytes: &'a [u8]) -> Result<(Header, Self), Fault> {
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
        if lines.next().is_none_or(|line| line.trim_ascii() != b"ply") {
            return Err(Fault::at_line(1, "this is no PLY file, for it does not start with a line `ply`"));
        }
        let length = bytes.len() - {
            lines.find(|line| line.trim_ascii() == b"end_header");
            lines.map(<[u8]>::len).sum::<usize>()
        };
        // Comments may be in any encoding.
        let text = String::from_utf8_lossy(&bytes[..length]);
        let parser = Parser::new();
        let mut reader = Reader::new(text.as_bytes());
        let header = parser.read_header(&mut reader).map_err(|error| header_fault(&error, &text))?;
        check_names(&text)?;
        let line = text.lines().count() as u32;
        Ok((header.clone(), Self { encoding: header.encoding, parser, rest: &bytes[length..], line }))
    }

    /// Reads all there is of an element.
    fn each(&mut self, element: &ElementDef, mut take: impl FnMut(Row) -> Result<(), String>) -> Result<(), Fault> {
        // Memory is taken, and time spent, for what is there and not for what the header says.
        let least: usize = element.properties.values().map(|property| self.least_size(&property.data_type)).sum();
        let left = self.rest.len();
        if element.count.saturating_mul(least) > left + 1 {
            let problem = format!(
                "the header has {} of them, for which the {left} bytes that are left are too few; the file is cut off, or the \
                 number is wrong",
                element.count
            );
            return Err(Fault::at(format!("element `{}`", element.name), problem));
        }
        if least == 0 {
            return Ok(());
        }
        for index in 0..element.count {
            let read = match self.encoding {
                Encoding::Ascii => self.text_row(element)?,
                Encoding::BinaryBigEndian => self.parser.read_big_endian_element(&mut self.rest, element),
                Encoding::BinaryLittleEndian => self.parser.read_little_endian_element(&mut self.rest, element),
            };
            let row = read.map_err(|error| self.fault(element, index, self.complaint(element, &error)))?;
            let line = self.line;
            take(Row { line, ..row }).map_err(|problem| self.fault(element, index, problem))?;
        }
        Ok(())
    }

    /// The next line that is not empty, as a row.
    fn text_row(&mut self, element: &ElementDef) -> Result<Result<Row, ParseError>, Fault> {
        while !self.rest.is_empty() {
            let length = self.rest.iter().position(|&byte| byte == b'\n').map_or(self.rest.len(), |end| end + 1);
            let (line, rest) = self.rest.split_at(length);
            self.rest = rest;
            self.line += 1;
            if !line.trim_ascii().is_empty() {
                return Ok(self.parser.read_ascii_element(&String::from_utf8_lossy(line), element));
            }
        }
        let problem = format!(
            "the file ends before the {} of `{}` that its header has; it is cut off, or the number is wrong",
            element.count, element.name
        );
        Err(Fault::at_line(self.line as usize, problem))
    }

    /// A fault in a row: a text has lines, and what a binary file has is numbered.
    fn fault(&self, element: &ElementDef, index: usize, problem: String) -> Fault {
        match self.encoding {
            Encoding::Ascii => Fault::at_line(self.line as usize, problem),
            _ => Fault::at(format!("{} {index}", element.name), problem),
        }
    }

    /// What is wrong with a row that the library does not read.
    fn complaint(&self, element: &ElementDef, error: &ParseError) -> String {
        if self.encoding == Encoding::Ascii {
            let names: Vec<&str> = element.properties.keys().map(String::as_str).collect();
            return format!(
                "this is no `{}` as the header has it; write its numbers: {}",
                element.name,
                names.join(" ")
            );
        }
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                "the file ends before its numbers do; it is cut off, or the header is wrong"
            }
            _ => "the length of its list is no whole number from 0 upwards; correct it, or its type in the header",
        }
        .into()
    }

    /// Least bytes that a property takes in a row.
    fn least_size(&self, property: &PropertyType) -> usize {
        let (PropertyType::Scalar(number) | PropertyType::List(number, _)) = property;
        match number {
            // A digit, and what comes between it and the next.
            _ if self.encoding == Encoding::Ascii => 2,
            ScalarType::Char | ScalarType::UChar => 1,
            ScalarType::Short | ScalarType::UShort => 2,
            ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
            ScalarType::Double => 8,
        }
    }
}

/// What is wrong with a header that the library does not read.
fn header_fault(error: &ParseError, text: &str) -> Fault {
    let Some(line) = error.line() else {
        return Fault::in_file(
            "its header has no sound format; write `format ascii 1.0`, `format binary_little_endian 1.0` or \
             `format binary_big_endian 1.0`",
        );
    };
    match text.lines().nth(line.saturating_sub(1)) {
        Some(found) => {
            let expected = "`element NAME COUNT`, `property TYPE NAME`, `property list TYPE TYPE NAME` or `end_header`";
            Fault::at_line(
                line,
                format!("`{}` has no place in the header; write {expected}", shortened(found.trim_end())),
            )
        }
        None => Fault::at_line(line, "the file ends before its header does; it is cut off, or `end_header` is missing"),
    }
}

/// Refuses a header with an element twice, or with a property twice in one, for what is read must have a name.
fn check_names(text: &str) -> Result<(), Fault> {
    let (mut elements, mut properties) = (HashSet::new(), HashSet::new());
    for (content, line) in text.lines().zip(1..) {
        let mut words = content.split_whitespace();
        let is_new = match (words.next(), words.next(), words.next_back()) {
            (Some("element"), Some(name), _) => {
                properties.clear();
                elements.insert(name)
            }
            (Some("property"), _, Some(name)) => properties.insert(name),
            _ => true,
        };
        if !is_new {
            let problem = format!("`{}` has the name of one before; give it another", shortened(content));
            return Err(Fault::at_line(line, problem));
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{MeshFormat, parse_mesh};

    fn read(contents: impl AsRef<[u8]>) -> Result<SourceMesh, Fault> {
        parse_mesh(contents.as_ref(), MeshFormat::Ply, None)
    }

    fn sound(contents: impl AsRef<[u8]>) -> SourceMesh {
        read(contents).expect("a sound file")
    }

    fn attribute(name: &str, values: &[f32]) -> VertexAttribute {
        VertexAttribute { name: name.into(), values: values.into() }
    }

    /// Two triangles and a quad over five vertices, with all that a vertex may have.
    const TEXT: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 5\nproperty float x\nproperty double y\n\
        property short z\nproperty float nx\nproperty uchar red\nproperty ushort green\nproperty float blue\n\
        property float s\nproperty float t\nproperty int age\nelement camera 1\nproperty float view\n\
        element face 3\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n\
        0 0.5 1 9 255 65535 0.25 0 0 -3\n1 0.5 1 9 0 0 1 1 0 4\n\n1 1.5e0 -1 9 51 0 0 1 1 5\n0 1 2 9 0 0 0 0 1 6\n\
        3 1 2 9 0 13107 0 0.5 0.5 7\n0.5\n7 3 0 1 2\n7 4 0 1 2 3 \n7 3 4 3 2\n";

    #[test]
    fn texts_are_read_with_all_that_vertices_have() {
        for text in [TEXT.to_owned(), TEXT.replace('\n', "\r\n"), TEXT.replace("_indices", "_index")] {
            let mesh = sound(text);
            let places = [[0.0, 0.5, 1.0], [1.0, 0.5, 1.0], [1.0, 1.5, -1.0], [0.0, 1.0, 2.0], [3.0, 1.0, 2.0]];
            assert_eq!(mesh.positions, places.map(Vec3::from));
            assert_eq!(
                (&mesh.face_sizes[..], &mesh.corners[..]),
                (&[3, 4, 3][..], &[0, 1, 2, 0, 1, 2, 3, 4, 3, 2][..])
            );
            let [a, b, c, d, e] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]].map(Vec2::from);
            assert_eq!(mesh.uvs, Some(vec![a, b, c, a, b, c, d, e, d, c]));
            let attributes = [
                attribute("color.r", &[1.0, 0.0, 0.2, 0.0, 0.0]),
                attribute("color.g", &[1.0, 0.0, 0.0, 0.0, 0.2]),
                attribute("color.b", &[0.25, 1.0, 0.0, 0.0, 0.0]),
                attribute("age", &[-3.0, 4.0, 5.0, 6.0, 7.0]),
            ];
            assert_eq!(mesh.attributes, attributes);
            assert_eq!(mesh.face_lines, Some(vec![28, 29, 30]));
            assert_eq!((mesh.surfaces, mesh.groups, mesh.first_number), (vec![0; 5], vec![], 0));
            assert_eq!((mesh.metres_per_unit, mesh.up), (None, UpAxis::Z));
        }
    }

    /// The same numbers in each of the eight types, of which the binary formats write the bytes of one or the other order.
    fn of_types(encoding: &str, [x, y, z, other]: [&str; 4], count: &str, index: &str) -> Vec<u8> {
        let mut bytes = format!(
            "ply\nformat {encoding} 1.0\nelement vertex 4\nproperty {x} x\nproperty {y} y\nproperty {z} z\n\
             property {other} other\nelement face 1\nproperty list {count} {index} vertex_indices\nend_header\n"
        )
        .into_bytes();
        let mut write = |kind: &str, number: i8| {
            let mut little = match kind {
                "char" | "uchar" | "int8" | "uint8" => number.to_le_bytes().to_vec(),
                "short" | "ushort" | "int16" | "uint16" => i16::from(number).to_le_bytes().to_vec(),
                "int" | "uint" | "int32" | "uint32" => i32::from(number).to_le_bytes().to_vec(),
                "float" | "float32" => f32::from(number).to_le_bytes().to_vec(),
                _ => f64::from(number).to_le_bytes().to_vec(),
            };
            if encoding == "binary_big_endian" {
                little.reverse();
            }
            if encoding == "ascii" {
                little = format!("{number} ").into_bytes();
            }
            bytes.extend(little);
        };
        let rows = [[0, 0, 0, 7], [1, 0, 0, 8], [1, 1, 0, 9], [0, 1, 3, 10]];
        for row in rows {
            [x, y, z, other].into_iter().zip(row).for_each(|(kind, number)| write(kind, number));
            if encoding == "ascii" {
                write("line", 0);
            }
        }
        write(count, 4);
        (0..4).for_each(|corner| write(index, corner));
        bytes
    }

    #[test]
    fn every_type_of_number_is_read_in_either_order_of_bytes() {
        let kinds = [
            ["char", "uchar", "short", "ushort"],
            ["int", "uint", "float", "double"],
            ["int8", "uint8", "int16", "uint16"],
            ["int32", "uint32", "float32", "float64"],
        ];
        for (kinds, encoding) in kinds
            .into_iter()
            .flat_map(|kinds| ["binary_little_endian", "binary_big_endian"].map(|encoding| (kinds, encoding)))
        {
            for (count, index) in [
                ("uchar", "int"),
                ("int", "uchar"),
                ("ushort", "ushort"),
                ("uint", "uint"),
                ("char", "char"),
                ("short", "short"),
            ] {
                let mesh = sound(of_types(encoding, kinds, count, index));
                let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 3.0]];
                assert_eq!(mesh.positions, places.map(Vec3::from), "{encoding} {kinds:?}");
                assert_eq!((mesh.face_sizes, mesh.corners), (vec![4], vec![0, 1, 2, 3]), "{count} {index}");
                assert_eq!(mesh.attributes, [attribute("other", &[7.0, 8.0, 9.0, 10.0])]);
                assert_eq!(mesh.face_lines, None);
            }
        }
    }

    #[test]
    fn texture_coordinates_of_faces_belong_to_corners() {
        let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
            element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n";
        let mesh = sound(format!("{header}0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n3 0 2 1 6 0.5 0 0.5 1 0.25 0\n"));
        let uvs = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 1.0], [0.25, 0.0]];
        assert_eq!(mesh.uvs, Some(uvs.map(Vec2::from).into()));
        let mesh = sound(format!("{header}0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n3 0 2 1 0\n"));
        assert_eq!(mesh.uvs, None);
    }

    #[test]
    fn comments_may_be_in_any_encoding_and_elements_without_properties_hold_nothing() {
        let text =
            TEXT.replace("hand", "caf\u{e9}").replace("element camera", "element nothing 99999999999\nelement camera");
        let latin_1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        assert_eq!(sound(latin_1).face_sizes.len(), 3);
    }

    #[test]
    fn errors_name_the_place_and_the_cure() {
        let swapped = |from: &str, to: &str| {
            assert!(TEXT.contains(from), "{from}");
            TEXT.replace(from, to).into_bytes()
        };
        let header = "write `element NAME COUNT`, `property TYPE NAME`, `property list TYPE TYPE NAME` or `end_header`";
        let format = ": its header has no sound format; write `format ascii 1.0`, `format binary_little_endian 1.0` or \
                      `format binary_big_endian 1.0`";
        let no_vertex = "this is no `vertex` as the header has it; write its numbers: x y z nx red green blue s t age";
        let binary = |cut: usize| {
            let mut bytes = of_types("binary_little_endian", ["float"; 4], "int", "int");
            bytes.truncate(bytes.len() - cut);
            bytes
        };
        let changed = |at_end: usize, number: [u8; 4]| {
            let mut bytes = binary(0);
            let at = bytes.len() - at_end;
            bytes[at..at + 4].copy_from_slice(&number);
            bytes
        };
        let cases: Vec<(Vec<u8>, String)> = vec![
            (Vec::new(), ", line 1: this is no PLY file, for it does not start with a line `ply`".into()),
            (swapped("format ascii 1.0\n", ""), format.into()),
            (swapped("ascii", "asciii"), format!(", line 2: `format asciii 1.0` has no place in the header; {header}")),
            (swapped("float x", "flaot x"), format!(", line 5: `property flaot x` has no place in the header; {header}")),
            (
                swapped("end_header\n", "")[..400].into(),
                format!(", line 20: `0 0.5 1 9 255 65535 0.25 0 0 -3` has no place in the header; {header}"),
            ),
            (
                TEXT.as_bytes()[..59].into(),
                ", line 5: the file ends before its header does; it is cut off, or `end_header` is missing".into(),
            ),
            (
                swapped("float nx", "float y"),
                ", line 8: `property float y` has the name of one before; give it another".into(),
            ),
            (
                swapped("element camera", "element vertex"),
                ", line 15: `element vertex 1` has the name of one before; give it another".into(),
            ),
            (
                swapped("element vertex", "element point"),
                ": its header has no element `vertex`; give it one with the properties `x`, `y` and `z`".into(),
            ),
            (
                swapped("short z", "short depth"),
                ", element `vertex`: it has no property `z`; give it `x`, `y` and `z`, each a number".into(),
            ),
            (
                swapped("vertex_indices", "corners"),
                ", element `face`: it has no list `vertex_indices` or `vertex_index`; give it one with its corners".into(),
            ),
            (
                swapped("element camera", "element tristrips"),
                ", element `tristrips`: triangle strips are not read; save the mesh with an element `face` in their place".into(),
            ),
            (
                swapped("vertex 5", "vertex 4000000000"),
                ", element `vertex`: the header has 4000000000 of them, for which the 166 bytes that are left are too few; the \
                 file is cut off, or the number is wrong"
                    .into(),
            ),
            (swapped("1 1.5e0 -1", "1 nan -1"), format!(", line 24: {no_vertex}")),
            (swapped("1 1.5e0 -1", "1 1e99 -1"), ", line 24: this vertex lies at [1, inf, -1]; make every coordinate a \
                finite number of 32 bits".into()),
            (swapped("9 51 0", "9 256 0"), format!(", line 24: {no_vertex}")),
            (
                swapped("7 3 4 3 2\n", "7 3 4 3 5\n"),
                ", line 30: this face uses vertex 5, but the file has 5 vertices, numbered from 0; correct the face or add \
                 the vertex"
                    .into(),
            ),
            (swapped("7 3 4 3 2\n", "7 2 4 3\n"), ", line 30: this face has 2 corners; a face needs at least 3".into()),
            (
                swapped("7 3 4 3 2\n", "7 3 4 3 -1\n"),
                ", line 30: a corner of this face is no whole number from 0 upwards; give it the number of a vertex".into(),
            ),
            (
                swapped("7 3 4 3 2\n", "7 3 4 3\n"),
                ", line 30: this is no `face` as the header has it; write its numbers: flags vertex_indices".into(),
            ),
            (
                swapped("7 3 4 3 2\n", ""),
                ", line 29: the file ends before the 3 of `face` that its header has; it is cut off, or the number is wrong".into(),
            ),
            (binary(1), ", face 0: the file ends before its numbers do; it is cut off, or the header is wrong".into()),
            (
                binary(20),
                ", element `face`: the header has 1 of them, for which the 0 bytes that are left are too few; the file is cut \
                 off, or the number is wrong"
                    .into(),
            ),
            (
                changed(20, [255; 4]),
                ", face 0: the length of its list is no whole number from 0 upwards; correct it, or its type in the header".into(),
            ),
            (
                changed(20, [0, 0, 0, 127]),
                ", face 0: the file ends before its numbers do; it is cut off, or the header is wrong".into(),
            ),
            (
                changed(8, [255; 4]),
                ", face 0: a corner of this face is no whole number from 0 upwards; give it the number of a vertex".into(),
            ),
            (
                changed(60, f32::NAN.to_le_bytes()),
                ", vertex 1: this vertex lies at [1, 0, NaN]; make every coordinate a finite number of 32 bits".into(),
            ),
        ];
        for (bytes, expected) in cases {
            assert_eq!(read(bytes).expect_err(&expected).to_string(), expected);
        }
    }

    #[test]
    fn what_is_cut_off_is_refused_at_every_byte() {
        // Of a text, the line break at the end may be cut off.
        let text = TEXT.trim_end();
        let binary = of_types("binary_big_endian", ["float"; 4], "uchar", "int");
        for bytes in [text.as_bytes(), &binary] {
            (0..bytes.len()).for_each(|length| assert!(read(&bytes[..length]).is_err(), "{length} bytes"));
            read(bytes).expect("a sound file");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read([b"ply\n", &bytes[..]].concat());
            let header = &TEXT[..TEXT.find("0 0.5 1").expect("a row")];
            for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
                let _ = read([header.replace("ascii", encoding).as_bytes(), &bytes].concat());
            }
        }

        #[test]
        fn no_mutation_makes_it_panic(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), b' '..=b'9']), 1..6),
            is_text: bool,
        ) {
            let binary = of_types("binary_little_endian", ["float", "char", "double", "short"], "uchar", "int");
            let mut bytes = if is_text { TEXT.as_bytes().to_vec() } else { binary };
            for (offset, byte) in changes {
                let offset = offset.index(bytes.len());
                bytes[offset] = byte;
            }
            let _ = read(bytes);
        }
    }
}
