use std::collections::HashSet;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

use super::super::error::{Fault, shortened};

/// What a file has of one thing: numbers in the order of the header, and lists likewise.
#[derive(Default)]
pub(super) struct Row {
    pub(super) numbers: Vec<f32>,
    pub(super) lists: Vec<Property>,
    /// Its line, in a text.
    pub(super) line: u32,
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
pub(super) struct Rows<'a> {
    encoding: Encoding,
    parser: Parser<Row>,
    rest: &'a [u8],
    /// Number of lines so far.
    line: u32,
}

impl<'a> Rows<'a> {
    /// The header of a file, and what follows it.
    pub(super) fn of(bytes: &'a [u8]) -> Result<(Header, Self), Fault> {
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
    pub(super) fn each(
        &mut self,
        element: &ElementDef,
        mut take: impl FnMut(Row) -> Result<(), String>,
    ) -> Result<(), Fault> {
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
