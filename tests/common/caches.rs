//! Caches as others read them, written from what the formats say and not from what writes them.

#![allow(dead_code)] // Each test binary uses its part of this.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use glam::{Vec2, Vec3};
use serde_json::Value;

/// What a cache says.
#[derive(Debug, Default, PartialEq)]
pub struct Read {
    /// Shape \[frame_count\]\[point_count\].
    pub frames: Vec<Vec<Vec3>>,
    /// When each frame is \[s\], in formats that tell it.
    pub times: Option<Vec<f64>>,
    /// The points of each polygon, or of each rope, in formats that have them.
    pub faces: Option<Vec<Vec<u32>>>,
    /// A place in a texture at each corner.
    pub uvs: Option<Vec<Vec2>>,
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(count);
        self.0 = rest;
        first
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap()
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.array())
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.f32(), self.f32(), self.f32())
    }
}

pub fn pc2(path: &Path) -> Read {
    let bytes = fs::read(path).unwrap();
    let mut bytes = Bytes(&bytes);
    assert_eq!(bytes.take(12), b"POINTCACHE2\0");
    assert_eq!(bytes.u32(), 1);
    let points = bytes.u32();
    assert_eq!((bytes.f32(), bytes.f32()), (0.0, 1.0));
    let frames = (0..bytes.u32()).map(|_| (0..points).map(|_| bytes.point()).collect()).collect();
    assert!(bytes.0.is_empty());
    Read { frames, ..Read::default() }
}

pub fn mdd(path: &Path) -> Read {
    let bytes = fs::read(path).unwrap();
    let mut bytes = Bytes(&bytes);
    let [frames, points] = [(), ()].map(|()| u32::from_be_bytes(bytes.array()));
    let times = (0..frames).map(|_| f32::from_be_bytes(bytes.array()).into()).collect();
    let mut point = || Vec3::from_array([(), (), ()].map(|()| f32::from_be_bytes(bytes.array())));
    let frames = (0..frames).map(|_| (0..points).map(|_| point()).collect()).collect();
    assert!(bytes.0.is_empty());
    Read { frames, times: Some(times), ..Read::default() }
}

/// The numbers in a text, whatever is between them.
fn numbers(text: &str) -> Vec<f32> {
    let is_number = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    text.split(|letter| !is_number(letter)).filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect()
}

fn points(text: &str) -> Vec<Vec3> {
    numbers(text).as_chunks().0.iter().map(|&point| Vec3::from_array(point)).collect()
}

/// The lines of a USD text in which one attribute is given, without its name.
fn usda_value<'a>(text: &'a str, attribute: &str) -> Option<&'a str> {
    let start = text.find(&format!(" {attribute} = "))? + attribute.len() + 4;
    Some(text[start..].lines().next().unwrap())
}

/// The samples of an attribute by their times.
fn usda_samples(text: &str, attribute: &str) -> BTreeMap<u32, Vec<Vec3>> {
    let start = text.find(&format!(" {attribute}.timeSamples = {{\n")).unwrap();
    let lines = text[start..].lines().skip(1).take_while(|line| line.trim() != "}");
    let sample = |line: &str| {
        let (time, value) = line.split_once(": ").unwrap();
        (time.trim().parse().unwrap(), points(value))
    };
    lines.map(sample).collect()
}

pub fn usda(path: &Path) -> Read {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("#usda 1.0\n(\n"));
    let metadata = |name: &str| usda_value(&text, name).unwrap_or_else(|| panic!("no {name}"));
    let rate: f64 = metadata("timeCodesPerSecond").parse().unwrap();
    let samples = usda_samples(&text, "points");
    assert_eq!((metadata("startTimeCode"), metadata("endTimeCode")), ("0", &*(samples.len() - 1).to_string()));
    let counts = usda_value(&text, "faceVertexCounts").or(usda_value(&text, "curveVertexCounts")).unwrap();
    let mut corners: Vec<u32> = match usda_value(&text, "faceVertexIndices") {
        Some(indices) => numbers(indices).iter().map(|&index| index as u32).collect(),
        None => (0..samples[&0].len() as u32).collect(),
    };
    let faces = numbers(counts).iter().map(|&count| corners.drain(..count as usize).collect()).collect();
    assert!(corners.is_empty());
    let half = usda_value(&text, "widths").map_or(0.0, |widths| numbers(widths)[0] / 2.0);
    for (time, extent) in usda_samples(&text, "extent") {
        let points = samples[&time].iter().copied();
        let least = points.clone().reduce(Vec3::min).unwrap() - half;
        assert_eq!(extent, [least, points.reduce(Vec3::max).unwrap() + half]);
    }
    let uvs = usda_value(&text, "primvars:st")
        .map(|uvs| numbers(uvs.trim_end_matches(" (")).as_chunks().0.iter().map(|&uv| Vec2::from_array(uv)).collect());
    let times = samples.keys().map(|&time| f64::from(time) / rate).collect();
    Read { frames: samples.into_values().collect(), times: Some(times), faces: Some(faces), uvs }
}

/// The entries of a ZIP archive that are stored as they are, by their local headers.
fn zip_entries(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut bytes = Bytes(bytes);
    let mut entries = BTreeMap::new();
    while bytes.0.starts_with(b"PK\x03\x04") {
        bytes.take(4 + 2 + 2);
        assert_eq!(bytes.take(2), [0, 0], "stored");
        bytes.take(4);
        let checksum = bytes.u32();
        assert_eq!(bytes.take(8), [0xff; 8], "the sizes are in 64 bits");
        let [name, extra] = [(), ()].map(|()| u16::from_le_bytes(bytes.array()));
        let name = String::from_utf8(bytes.take(name.into()).to_vec()).unwrap();
        let mut extra = Bytes(bytes.take(extra.into()));
        assert_eq!(extra.take(4), [1, 0, 16, 0]);
        let size = u64::from_le_bytes(extra.array());
        let content = bytes.take(size as usize).to_vec();
        assert_eq!(crc32fast::hash(&content), checksum, "{name}");
        entries.insert(name, content);
    }
    assert!(bytes.0.starts_with(b"PK\x01\x02"));
    entries
}

/// An array's description and its bytes.
fn array(entry: &[u8]) -> (String, Vec<u8>) {
    let mut bytes = Bytes(entry);
    assert_eq!(bytes.take(8), b"\x93NUMPY\x01\0");
    let length = u16::from_le_bytes(bytes.array());
    assert_eq!((10 + length) % 64, 0);
    let text = String::from_utf8(bytes.take(length.into()).to_vec()).unwrap();
    (text.trim_end().to_string(), bytes.0.to_vec())
}

pub fn npz(path: &Path) -> Read {
    let entries = zip_entries(&fs::read(path).unwrap());
    let read = |name: &str| entries.get(&format!("{name}.npy")).map(|entry| array(entry));
    let words =
        |name: &str| Some(read(name)?.1.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect::<Vec<_>>());
    let sizes = words("face_sizes").or(words("rope_sizes")).unwrap();
    let (described, content) = read("positions").unwrap();
    let floats: Vec<f32> = content.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect();
    let shape = described.split_once("'shape': (").unwrap().1.split(')').next().unwrap();
    let shape: Vec<usize> = shape.split(',').filter_map(|side| side.trim().parse().ok()).collect();
    assert!(described.contains("'descr': '<f4', 'fortran_order': False") && shape[2] == 3, "{described}");
    let all: Vec<Vec3> = floats.as_chunks().0.iter().map(|&point| Vec3::from_array(point)).collect();
    let mut corners = words("corners").unwrap_or_else(|| (0..shape[1] as u32).collect());
    let rate = f64::from_le_bytes(read("frames_per_second").unwrap().1.try_into().unwrap());
    let uv = |uv: &[u32; 2]| Vec2::from_array(uv.map(f32::from_bits));
    Read {
        frames: all.chunks(shape[1]).map(<[Vec3]>::to_vec).collect(),
        times: Some((0..shape[0]).map(|frame| frame as f64 / rate).collect()),
        faces: Some(sizes.iter().map(|&size| corners.drain(..size as usize).collect()).collect()),
        uvs: words("uvs").map(|words| words.as_chunks().0.iter().map(uv).collect()),
    }
}

/// One frame.
pub fn obj(path: &Path) -> Read {
    let text = fs::read_to_string(path).unwrap();
    let (mut read, mut places, mut uvs) = (Read { frames: vec![vec![]], ..Read::default() }, Vec::new(), Vec::new());
    let mut faces = Vec::new();
    for line in text.lines() {
        let (keyword, rest) = line.split_once(' ').unwrap();
        match keyword {
            "v" => read.frames[0].extend(points(rest)),
            "vt" => places.push(Vec2::from_slice(&numbers(rest))),
            "f" | "l" => {
                let corner = |corner: &str| {
                    let mut numbers = corner.split('/').map(|number| number.parse::<u32>().unwrap() - 1);
                    let vertex = numbers.next().unwrap();
                    uvs.extend(numbers.next().map(|number| places[number as usize]));
                    vertex
                };
                faces.push(rest.split(' ').map(corner).collect());
            }
            other => panic!("{other}"),
        }
    }
    Read { faces: Some(faces), uvs: (!uvs.is_empty()).then_some(uvs), ..read }
}

/// One frame.
pub fn ply(path: &Path) -> Read {
    let bytes = fs::read(path).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let count = |element: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(&format!("element {element} ")));
        line.map(|count| count.parse::<u32>().unwrap())
    };
    assert!(head.starts_with("ply\nformat binary_little_endian 1.0\n"));
    let mut bytes = Bytes(&bytes[end..]);
    let frame = (0..count("vertex").unwrap()).map(|_| bytes.point()).collect();
    let (mut faces, mut uvs): (Vec<Vec<u32>>, _) = (Vec::new(), Vec::new());
    for _ in 0..count("edge").unwrap_or(0) {
        // Links of ropes are joined where one ends and the next begins.
        let [first, second] = [bytes.u32(), bytes.u32()];
        match faces.last_mut().filter(|rope| rope.last() == Some(&first)) {
            Some(rope) => rope.push(second),
            None => faces.push(vec![first, second]),
        }
    }
    for _ in 0..count("face").unwrap_or(0) {
        let size = bytes.take(1)[0];
        faces.push((0..size).map(|_| bytes.u32()).collect());
        if head.contains("texcoord") {
            assert_eq!(bytes.take(1), [2 * size]);
            uvs.extend((0..size).map(|_| Vec2::new(bytes.f32(), bytes.f32())));
        }
    }
    assert!(bytes.0.is_empty());
    let uvs = (!uvs.is_empty()).then_some(uvs);
    Read { frames: vec![frame], faces: Some(faces), uvs, ..Read::default() }
}

/// The first `count` points; faces are triangles or links. Other frames are the first one plus what they are off it.
pub fn gltf(path: &Path, count: usize) -> Read {
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let buffer = &document["buffers"][0];
    let bytes = fs::read(path.with_file_name(buffer["uri"].as_str().unwrap())).unwrap();
    assert_eq!(buffer["byteLength"], bytes.len());
    let accessor = |index: &Value| {
        let accessor = &document["accessors"][index.as_u64().unwrap() as usize];
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [offset, length] = ["byteOffset", "byteLength"].map(|name| view[name].as_u64().unwrap() as usize);
        let words: Vec<u32> =
            bytes[offset..offset + length].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            other => panic!("{other}"),
        };
        assert_eq!(words.len(), width * accessor["count"].as_u64().unwrap() as usize);
        let floats = words.iter().map(|&word| f32::from_bits(word));
        for (name, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
            for (axis, bound) in accessor[name].as_array().into_iter().flatten().enumerate() {
                let found = floats.clone().skip(axis).step_by(width).reduce(pick).unwrap();
                // `serde_json` reads numbers to the last place but one of 64 bits.
                assert_eq!(found, bound.as_f64().unwrap() as f32, "{name} of accessor {index}");
            }
        }
        words
    };
    let places = |index: &Value| {
        let words = accessor(index);
        words
            .as_chunks()
            .0
            .iter()
            .map(|&point: &[u32; 3]| Vec3::from_array(point.map(f32::from_bits)))
            .collect::<Vec<_>>()
    };
    let mesh = &document["meshes"][0];
    let primitive = &mesh["primitives"][0];
    let first = places(&primitive["attributes"]["POSITION"]);
    let mut frames = vec![first[..count].to_vec()];
    for target in primitive["targets"].as_array().into_iter().flatten() {
        frames
            .push(first.iter().zip(places(&target["POSITION"])).map(|(first, off)| first + off).take(count).collect());
    }
    let corners = accessor(&primitive["indices"]);
    // Vertices that stand again are where those are that they repeat.
    let original =
        |&corner: &u32| first[..count].iter().position(|place| *place == first[corner as usize]).unwrap() as u32;
    let size = if primitive["mode"] == 4 { 3 } else { 2 };
    let faces = corners.chunks(size).map(|face| face.iter().map(original).collect()).collect();
    let uvs = primitive["attributes"].get("TEXCOORD_0").map(|index| {
        let words = accessor(index);
        let uvs: Vec<Vec2> =
            words.as_chunks().0.iter().map(|uv: &[u32; 2]| Vec2::from_array(uv.map(f32::from_bits))).collect();
        corners.iter().map(|&corner| Vec2::new(uvs[corner as usize].x, 1.0 - uvs[corner as usize].y)).collect()
    });
    let times = document["animations"].as_array().map(|animations| {
        let sampler = &animations[0]["samplers"][0];
        let weights = accessor(&sampler["output"]);
        let targets = frames.len() - 1;
        for (frame, weights) in weights.chunks(targets).enumerate() {
            let is_one = |target: usize| if target + 1 == frame { 1.0_f32 } else { 0.0 };
            assert!(weights.iter().enumerate().all(|(target, &weight)| f32::from_bits(weight) == is_one(target)));
        }
        accessor(&sampler["input"]).iter().map(|&time| f32::from_bits(time).into()).collect()
    });
    Read { frames, times, faces: Some(faces), uvs }
}
