//! Reads scenes from files, presets and overrides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use toml::Spanned;

use super::Scene;
use super::error::{Place, SceneError, shortened};
use super::fabrics::FABRIC_KEY;
use super::heights::Heights;
use super::presets::{names, preset_text};
use super::texture::ImagePath;
use crate::io::{MeshFormat, mesh_endings};

/// The key with which a file chooses the preset that it starts from.
pub(super) const PRESET_KEY: &str = "preset";

/// One key of a file.
struct Entry {
    key: String,
    value: toml::Value,
    place: Place,
}

/// The scene that a preset's name or a path stands for, and whether the mass of a grid's particles follows from a fabric.
pub(super) fn load(path: &Path) -> Result<(Scene, bool), SceneError> {
    let file_error = |problem: &str| Err(SceneError::File { path: path.into(), problem: problem.into() });
    if has_extension(path, "toml") {
        return from_file(path);
    }
    if MeshFormat::of(path).is_some() {
        return Ok((Scene { name: stem(path), mesh: Some(path.into()), ..preset("mesh")? }, false));
    }
    if let Some(name) = path.to_str().filter(|name| preset_text(name).is_some()) {
        return Ok((preset(name)?, false));
    }
    if path.is_dir() {
        return file_error(&format!("is a directory; give a scene file (.toml) or a mesh ({}) in it", mesh_endings()));
    }
    if path.extension().is_some() || path.components().count() > 1 || path.exists() {
        let kinds = format!("give a scene file (.toml) or a mesh ({})", mesh_endings());
        return file_error(&format!("is of no kind that can be read; {kinds}"));
    }
    Err(SceneError::UnknownPreset { asked: shortened(&path.to_string_lossy()) })
}

/// The value of an override: TOML, or a string without its quotes.
pub(super) fn override_value(text: &str, place: &Place) -> Result<toml::Value, SceneError> {
    let text = text.trim();
    text.parse().or_else(|error: toml::de::Error| {
        if text.starts_with(['[', '{', '"', '\'']) {
            return Err(SceneError::Syntax { place: place.clone(), problem: sentence(&error) });
        }
        Ok(toml::Value::String(text.into()))
    })
}

/// Whether a path ends so, in letters of either case.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Fails with what to do where `path` is no file; `kind` says what it should be.
pub(super) fn check_is_file(path: &Path, kind: &str) -> Result<(), SceneError> {
    let problem = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => format!("is a directory; give the path of {kind}"),
        Ok(metadata) if !metadata.is_file() => format!("is a device or a pipe; give the path of {kind}"),
        Ok(_) => return Ok(()),
        Err(reason) if reason.kind() == io::ErrorKind::NotFound => {
            format!("does not exist; give the path of {kind}")
        }
        Err(reason) => format!("cannot be read ({reason}); give the path of {kind}"),
    };
    Err(SceneError::File { path: path.into(), problem })
}

/// The scene of a preset.
fn preset(name: &str) -> Result<Scene, SceneError> {
    let text = preset_text(name).ok_or_else(|| SceneError::UnknownPreset { asked: name.into() })?;
    let mut scene = Scene { name: name.into(), ..Scene::default() };
    for Entry { key, value, place } in parse(text, &Path::new("presets").join(name).with_extension("toml"))? {
        scene.set(&key, &value, place)?;
    }
    Ok(scene)
}

/// The scene of a file, and whether the mass of a grid's particles follows from its fabric.
fn from_file(path: &Path) -> Result<(Scene, bool), SceneError> {
    check_is_file(path, &format!("a scene file (.toml), or one of the presets {}", names()))?;
    let bytes = fs::read(path)
        .map_err(|reason| SceneError::File { path: path.into(), problem: format!("cannot be read: {reason}") })?;
    from_bytes(bytes, path)
}

/// The scene of what the file at a path holds, likewise.
pub(super) fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<(Scene, bool), SceneError> {
    let mut entries = parse(&text(bytes, path)?, path)?;
    let chosen = entries.iter().position(|entry| entry.key == PRESET_KEY);
    let base = match chosen.map(|index| entries.remove(index)) {
        Some(entry) => chosen_preset(entry)?,
        None => Scene::default(),
    };
    let mut scene = Scene { name: stem(path), ..base };
    let fabric = entries.iter().position(|entry| entry.key == FABRIC_KEY).map(|index| entries.remove(index));
    let of_fabric = fabric.is_some() && !entries.iter().any(|entry| entry.key == "particle_mass");
    if let Some(Entry { key, value, place }) = fabric {
        scene.set(&key, &value, place)?;
        scene.take_fabric();
    }
    for Entry { key, value, place } in entries {
        scene.set(&key, &value, place)?;
        if key == "mesh" {
            scene.mesh = scene.mesh.map(|mesh| beside(path, mesh));
        }
        if key == "texture" {
            scene.texture = scene.texture.map(|ImagePath(image)| ImagePath(beside(path, image)));
        }
        if key == "collider" {
            for table in &mut scene.collider {
                if let Some(Heights::Image(image)) = &mut table.heights {
                    *image = beside(path, std::mem::take(image));
                }
                table.mesh = table.mesh.take().map(|mesh| beside(path, mesh));
            }
        }
    }
    if of_fabric {
        scene.weigh_grid();
    }
    Ok((scene, of_fabric))
}

/// The preset that a file starts from.
fn chosen_preset(Entry { key, value, place }: Entry) -> Result<Scene, SceneError> {
    match value.as_str().filter(|name| preset_text(name).is_some()) {
        Some(name) => preset(name),
        None => {
            let expected = format!("the name of a preset ({})", names());
            Err(SceneError::Value { place, key, expected, found: shortened(&value.to_string()) })
        }
    }
}

/// Where a file lies whose path is relative to the scene file; the empty path stays.
fn beside(scene: &Path, file: PathBuf) -> PathBuf {
    match scene.parent() {
        Some(directory) if !file.as_os_str().is_empty() => directory.join(file),
        _ => file,
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The text of a scene file.
fn text(bytes: Vec<u8>, path: &Path) -> Result<String, SceneError> {
    let file_error = |problem: String| SceneError::File { path: path.into(), problem };
    if bytes.contains(&0) {
        return Err(file_error("is a binary file; give a scene file, which is text".into()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = line_at(error.as_bytes(), error.utf8_error().valid_up_to());
        file_error(format!("is not in UTF-8 (line {line}); save it as UTF-8 text"))
    })
}

/// The keys of a scene file's text, in the order of its lines.
fn parse(text: &str, path: &Path) -> Result<Vec<Entry>, SceneError> {
    let place = |offset| Place::Line { path: path.into(), line: line_at(text.as_bytes(), offset) };
    let table: BTreeMap<Spanned<String>, Spanned<toml::Value>> =
        toml::from_str(text).map_err(|error: toml::de::Error| SceneError::Syntax {
            place: place(error.span().map_or(0, |span| span.start)),
            problem: sentence(&error),
        })?;
    if table.is_empty() {
        let problem = "is empty, as it sets no key; give it at least one, such as `preset = \"flag\"`".into();
        return Err(SceneError::File { path: path.into(), problem });
    }
    let mut table: Vec<_> = table.into_iter().collect();
    table.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (Spanned<String>, Spanned<toml::Value>)| Entry {
        place: place(key.span().start),
        key: key.into_inner(),
        value: value.into_inner(),
    };
    Ok(table.into_iter().map(entry).collect())
}

/// What the TOML parser says, on one line.
fn sentence(error: &toml::de::Error) -> String {
    error.message().trim().replace('\n', ", ")
}

/// Number of the line in which the byte at `offset` is, from 1.
fn line_at(text: &[u8], offset: usize) -> usize {
    1 + text.iter().take(offset).filter(|&&byte| byte == b'\n').count()
}
