//! Wavefront OBJ, a file for each frame: polygons with texture coordinates, or ropes as lines.

use std::io::{self, Write};

use glam::{Vec2, Vec3};

use super::{CacheForm, Still};
use crate::model::SourceMesh;

pub(super) struct Obj {
    /// What comes behind the vertices, the same in each frame.
    tail: String,
}

impl Obj {
    pub(super) fn new(form: &CacheForm) -> Self {
        let mut tail = String::new();
        match form {
            CacheForm::Mesh(mesh) => faces(mesh, &mut tail),
            CacheForm::Ropes { sizes, .. } => {
                let mut first = 1;
                for size in sizes {
                    let points: Vec<_> = (first..first + size).map(|point| point.to_string()).collect();
                    tail += &format!("l {}\n", points.join(" "));
                    first += size;
                }
            }
        }
        Self { tail }
    }
}

impl Still for Obj {
    fn write(&self, positions: &[Vec3], file: &mut dyn Write) -> io::Result<()> {
        for Vec3 { x, y, z } in positions {
            writeln!(file, "v {x:?} {y:?} {z:?}")?;
        }
        file.write_all(self.tail.as_bytes())
    }
}

/// Texture coordinates, each once, and the faces that name them.
fn faces(mesh: &SourceMesh, text: &mut String) {
    let mut numbers = std::collections::HashMap::new();
    let mut number = |Vec2 { x, y }: Vec2, text: &mut String| {
        let next = numbers.len() + 1;
        *numbers.entry([x.to_bits(), y.to_bits()]).or_insert_with(|| {
            *text += &format!("vt {x:?} {y:?}\n");
            next
        })
    };
    let uvs: Option<Vec<usize>> = mesh.uvs.as_ref().map(|uvs| uvs.iter().map(|&uv| number(uv, text)).collect());
    for face in mesh.faces() {
        *text += "f";
        for corner in face {
            let vertex = mesh.corners[corner] + 1;
            match &uvs {
                Some(uvs) => *text += &format!(" {vertex}/{}", uvs[corner]),
                None => *text += &format!(" {vertex}"),
            }
        }
        *text += "\n";
    }
}
