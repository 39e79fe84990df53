use glam::{DMat4, DQuat, DVec3};
use gltf::json;

use super::super::error::{Fault, shortened};
use super::item;

/// A node of the scene with a mesh.
pub(super) struct Placed<'a> {
    pub(super) node: &'a json::Node,
    /// What the node is called in messages.
    pub(super) name: String,
    /// From the mesh to the scene.
    pub(super) transform: DMat4,
}

/// The nodes of the scene that have a mesh, parents before children.
pub(super) fn placed(root: &json::Root) -> Result<Vec<Placed<'_>>, Fault> {
    let parents = parents(root)?;
    let roots: Vec<usize> = match root.scene {
        Some(scene) => {
            let scene = item(&root.scenes, scene, "scene", "scene")?;
            scene.nodes.iter().map(|node| node.value()).collect()
        }
        None => (0..root.nodes.len()).filter(|&node| parents[node].is_none()).collect(),
    };
    let mut placed = Vec::new();
    let mut is_visited = vec![false; root.nodes.len()];
    // Nodes can be deeper than a stack of calls.
    let mut waiting: Vec<(usize, DMat4)> = roots.into_iter().rev().map(|node| (node, DMat4::IDENTITY)).collect();
    while let Some((index, above)) = waiting.pop() {
        let node = item(&root.nodes, json::Index::new(index as u32), "node", "the scene")?;
        let name = called(node, index);
        if std::mem::replace(&mut is_visited[index], true) {
            return Err(Fault::at(name, "the scene has it twice; list it once, or below one node"));
        }
        let transform = above * local(node);
        if !transform.is_finite() {
            return Err(Fault::at(name, "its transform is not finite; give it one of finite numbers"));
        }
        waiting.extend(node.children.iter().flatten().rev().map(|child| (child.value(), transform)));
        if node.mesh.is_some() {
            placed.push(Placed { node, name, transform });
        }
    }
    match placed.is_empty() {
        true => Err(Fault::in_file("no node of its scene has a mesh; give one a `mesh`")),
        false => Ok(placed),
    }
}

/// The parent of each node, for they have one or none, and no node is above itself.
fn parents(root: &json::Root) -> Result<Vec<Option<usize>>, Fault> {
    let mut parents = vec![None; root.nodes.len()];
    for (index, node) in root.nodes.iter().enumerate() {
        for &child in node.children.iter().flatten() {
            let below = item(&root.nodes, child, "node", &called(node, index))?;
            if let Some(other) = parents[child.value()].replace(index) {
                let problem =
                    format!("it is a child of node {other} and of node {index}; glTF's nodes have one parent at most");
                return Err(Fault::at(called(below, child.value()), problem));
            }
        }
    }
    // With one parent each, all nodes are below one without, but for those in a ring and below it.
    let mut is_reached: Vec<bool> = parents.iter().map(Option::is_none).collect();
    let mut waiting: Vec<usize> = (0..parents.len()).filter(|&node| is_reached[node]).collect();
    while let Some(node) = waiting.pop() {
        for child in root.nodes[node].children.iter().flatten() {
            is_reached[child.value()] = true;
            waiting.push(child.value());
        }
    }
    match is_reached.iter().position(|&reached| !reached) {
        Some(index) => {
            let problem = "it is above itself, or below such a node; glTF's nodes form trees";
            Err(Fault::at(called(&root.nodes[index], index), problem))
        }
        None => Ok(parents),
    }
}

fn called(node: &json::Node, index: usize) -> String {
    match &node.name {
        Some(name) => format!("node {index} (`{}`)", shortened(name)),
        None => format!("node {index}"),
    }
}

/// From a node to its parent.
fn local(node: &json::Node) -> DMat4 {
    if let Some(matrix) = node.matrix {
        return DMat4::from_cols_array(&matrix.map(f64::from));
    }
    let vector =
        |numbers: Option<[f32; 3]>, default| numbers.map_or(default, |numbers| DVec3::from(numbers.map(f64::from)));
    let rotation = node.rotation.map_or(DQuat::IDENTITY, |json::scene::UnitQuaternion(numbers)| {
        // Numbers of 32 bits make no unit quaternion to the last digit.
        DQuat::from_array(numbers.map(f64::from)).normalize()
    });
    let (scale, translation) = (vector(node.scale, DVec3::ONE), vector(node.translation, DVec3::ZERO));
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}
