//! USD as text (usda): a mesh, or ropes as curves, with a sample of the points and of their extent in each frame.
//!
//! Numbers are the shortest that read back to the same 32 bits. The samples of the extent lie before those of the
//! points; so there is a line of fixed length for each, which is written when its frame is.

use std::fmt;
use std::io::{self, Read, Write};

use glam::Vec3;

use super::{Cache, CacheForm, PartialFile, Stream};
use crate::model::{UpAxis, bounds};

/// Length of the line of an extent: a frame has 6 digits and a number 19 characters at most.
const EXTENT_LINE: usize = 160;

#[derive(Default)]
pub(super) struct Usda {
    /// Where the lines of the extents start, once that is known.
    extents: Option<u64>,
}

impl Usda {
    /// What stands before the lines of the extents.
    fn head(cache: &Cache) -> String {
        // USD knows no x that points up.
        let (up, turn) = match cache.up {
            UpAxis::X => {
                ("Y", "    double xformOp:rotateZ = 90\n    uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n\n")
            }
            UpAxis::Y => ("Y", ""),
            UpAxis::Z => ("Z", ""),
        };
        let rate = cache.frames_per_second;
        format!(
            "#usda 1.0\n(\n    defaultPrim = \"baked\"\n    doc = \"Baked by Tautline {}\"\n    endTimeCode = {}\n    \
             framesPerSecond = {rate}\n    metersPerUnit = {:?}\n    startTimeCode = 0\n    timeCodesPerSecond = {rate}\n    \
             upAxis = \"{up}\"\n)\n\ndef Xform \"baked\"\n{{\n{turn}{}        float3[] extent.timeSamples = {{\n",
            env!("CARGO_PKG_VERSION"),
            cache.frames - 1,
            cache.metres_per_unit,
            topology(&cache.form),
        )
    }

    fn extents(&mut self, cache: &Cache) -> u64 {
        *self.extents.get_or_insert_with(|| Self::head(cache).len() as u64)
    }
}

impl Stream for Usda {
    fn begin(&mut self, cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        let head = Self::head(cache);
        self.extents = Some(head.len() as u64);
        file.write_all(head.as_bytes())?;
        for _ in 0..cache.frames {
            file.write_all(&[b' '; EXTENT_LINE - 1])?;
            file.write_all(b"\n")?;
        }
        file.write_all(b"        }\n        point3f[] points.timeSamples = {\n")
    }

    fn frame(&mut self, cache: &Cache, number: u32, positions: &[Vec3], file: &mut PartialFile) -> io::Result<()> {
        let [least, greatest] = extent(&cache.form, positions);
        let line = format!("            {number}: [{}, {}],", Point(least), Point(greatest));
        let place = self.extents(cache) + u64::from(number) * EXTENT_LINE as u64;
        // All of it, for the frame may have been written before, with longer numbers.
        file.patch(place, format!("{line:<0$}", EXTENT_LINE - 1).as_bytes())?;
        write!(file, "            {number}: [")?;
        for (index, &place) in positions.iter().enumerate() {
            write!(file, "{}{}", if index == 0 { "" } else { ", " }, Point(place))?;
        }
        file.write_all(b"],\n")
    }

    fn carry(
        &mut self,
        (from, old): (&Cache, &mut PartialFile),
        (to, new): (&Cache, &mut PartialFile),
    ) -> io::Result<()> {
        let mut lines = vec![0; to.frames as usize * EXTENT_LINE];
        old.read_from(Self::head(from).len() as u64)?.read_exact(&mut lines)?;
        let first = Self::head(to).len() as u64;
        self.extents = Some(first);
        new.patch(first, &lines)
    }

    fn finish(&mut self, _cache: &Cache, file: &mut PartialFile) -> io::Result<()> {
        file.write_all(b"        }\n    }\n}\n")
    }
}

/// The opening of the geometry, up to what changes.
fn topology(form: &CacheForm) -> String {
    match form {
        CacheForm::Mesh(mesh) => {
            let uvs = mesh.uvs.iter().map(|uvs| {
                let uvs: Vec<_> = uvs.iter().map(|uv| format!("({:?}, {:?})", uv.x, uv.y)).collect();
                let (uvs, varying) = (uvs.join(", "), "            interpolation = \"faceVarying\"\n        )\n");
                format!("        texCoord2f[] primvars:st = [{uvs}] (\n{varying}")
            });
            format!(
                "    def Mesh \"cloth\"\n    {{\n        uniform bool doubleSided = 1\n        int[] faceVertexCounts = {:?}\n        \
                 int[] faceVertexIndices = {:?}\n{}        uniform token subdivisionScheme = \"none\"\n",
                mesh.face_sizes,
                mesh.corners,
                uvs.collect::<String>(),
            )
        }
        CacheForm::Ropes { sizes, width } => format!(
            "    def BasisCurves \"ropes\"\n    {{\n        int[] curveVertexCounts = {sizes:?}\n        \
             uniform token type = \"linear\"\n        float[] widths = [{width:?}] (\n            \
             interpolation = \"constant\"\n        )\n        uniform token wrap = \"nonperiodic\"\n"
        ),
    }
}

/// The box around all that is drawn: ropes are thicker than their points.
fn extent(form: &CacheForm, positions: &[Vec3]) -> [Vec3; 2] {
    let half = match form {
        CacheForm::Mesh(_) => 0.0,
        CacheForm::Ropes { width, .. } => width / 2.0,
    };
    let [least, greatest] = bounds(positions);
    [least - half, greatest + half]
}

/// A point as USD has it.
struct Point(Vec3);

impl fmt::Display for Point {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Vec3 { x, y, z } = self.0;
        write!(formatter, "({x:?}, {y:?}, {z:?})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_extent_fits_its_line() {
        let lengths = (0..u32::MAX).step_by(9973).map(|bits| format!("{:?}", f32::from_bits(bits)).len());
        assert_eq!(lengths.max(), Some(19));
        let widest = Point(Vec3::splat(-1_234_567_900_000_000.0));
        let line = format!("            {}: [{widest}, {widest}],", 999_999);
        assert!(line.len() < EXTENT_LINE, "{line}");
    }
}
