//! Everything that decides the bytes of a cache, by which a bake knows its own checkpoint.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tautline::engine::Device;
use tautline::io::cache::CacheFormat;
use tautline::model::SourceMesh;
use tautline::scene::{Heights, Scene, SceneMesh};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::arguments::Arguments;

/// What a bake is, by names that a person knows.
#[derive(Deserialize, Serialize)]
pub struct Identity(Vec<(String, String)>);

/// What the bake of a scene is.
pub fn of(arguments: &Arguments, scene: &Scene, format: CacheFormat, device: Option<&Device>) -> Result<Identity> {
    let mut parts = vec![
        ("the version".to_string(), env!("CARGO_PKG_VERSION").to_string()),
        ("--format".into(), format.ending().into()),
        ("--frames".into(), arguments.frames.to_string()),
        ("--fps".into(), arguments.fps.to_string()),
    ];
    let device = device.map(|device| device.info());
    parts.push((
        "the device".into(),
        device.map_or("the CPU".into(), |info| format!("{} ({})", info.name, info.driver)),
    ));
    for key in Scene::keys() {
        parts.push((format!("`{}`", key.name), key.text(scene).unwrap_or("left out".into())));
    }
    // A mesh as it was read, for its file may name others.
    if let Some(SceneMesh { path, source, .. }) = scene.scene_mesh()? {
        parts.push((format!("the mesh of '{}'", path.display()), mesh_hash(&source)));
    }
    let heights = scene.collider.iter().filter_map(|collider| match &collider.heights {
        Some(Heights::Image(path)) => Some(path),
        _ => None,
    });
    let meshes = scene.collider.iter().filter_map(|collider| collider.mesh.as_ref());
    for path in heights.chain(meshes) {
        parts.push((format!("the content of '{}'", path.display()), hash(path)?));
    }
    Ok(Identity(parts))
}

/// Of all that is simulated or written of a mesh: its shape, what it is pinned by, and its texture coordinates.
fn mesh_hash(mesh: &SourceMesh) -> String {
    let mut hash = Xxh3::new();
    hash.update(bytemuck::cast_slice(&mesh.positions));
    for numbers in [&mesh.face_sizes, &mesh.corners, &mesh.surfaces] {
        hash.update(bytemuck::cast_slice(numbers));
    }
    mesh.uvs.iter().for_each(|uvs| hash.update(bytemuck::cast_slice(uvs)));
    for group in &mesh.groups {
        hash.update(group.name.as_bytes());
        hash.update(bytemuck::cast_slice(&group.vertices));
    }
    for attribute in &mesh.attributes {
        hash.update(attribute.name.as_bytes());
        hash.update(bytemuck::cast_slice(&attribute.values));
    }
    format!("{:032x}", hash.digest128())
}

fn hash(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read '{}'", path.display()))?;
    Ok(format!("{:032x}", xxh3_128(&bytes)))
}

impl Identity {
    /// What first differs between this one, of before, and one of now.
    pub fn difference(&self, now: &Self) -> Option<String> {
        let (mut was, mut is) = (self.0.iter(), now.0.iter());
        loop {
            match (was.next(), is.next()) {
                (None, None) => return None,
                (Some(was), Some(is)) if was == is => {}
                (Some((name, was)), Some((same, is))) if name == same => {
                    return Some(format!("{name} was {was} and is {is}"));
                }
                (Some((name, _)), _) | (_, Some((name, _))) => return Some(format!("{name} is not in both")),
            }
        }
    }
}
