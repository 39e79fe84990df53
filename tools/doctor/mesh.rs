//! What a mesh file holds, and what the simulation makes of it.

use std::ffi::OsStr;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde::Serialize;
use tautline::model::{self, Findings, Inspection, SLIVER, SpringKind};
use tautline::scene::{Scene, SceneMesh};

/// How many elements of a kind the text names; the JSON has all that are kept.
const MOST_NAMED: usize = 8;

/// A report on the mesh of a scene, which may be a mesh file itself.
pub fn report(source: &OsStr, settings: &[(String, String)], as_json: bool) -> Result<String> {
    let scene = Scene::load(source, settings)?;
    let mesh = scene.scene_mesh()?.with_context(|| {
        format!("{} has no mesh; give a mesh file, or a scene with the key `mesh`", source.to_string_lossy())
    })?;
    let report = Report::new(&mesh, &scene)?;
    Ok(if as_json { serde_json::to_string_pretty(&report)? + "\n" } else { report.text() })
}

/// All of it, as the JSON has it. Numbers of vertices and faces are those of the file, which counts from `counted_from`.
#[derive(Serialize)]
struct Report {
    file: String,
    counted_from: u32,
    vertices: usize,
    faces: usize,
    groups: Vec<Group>,
    attributes: Vec<String>,
    texture_coordinates: bool,
    metres_per_unit: f32,
    unit_is_guessed: bool,
    up: String,
    size_m: [f32; 3],
    area_m2: f64,
    shortest_edge_m: f64,
    mean_edge_m: f64,
    longest_edge_m: f64,
    particles: usize,
    triangles: usize,
    stretch_constraints: usize,
    bending_constraints: usize,
    mass_kg: f64,
    weld_distance_m: f64,
    /// A vertex of each piece that hangs together.
    components: Vec<u32>,
    borders: Vec<Border>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Group {
    name: String,
    vertices: usize,
}

#[derive(Serialize)]
struct Border {
    vertex: u32,
    edges: usize,
    length_m: f64,
}

/// Something of which a person should know.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    count: u64,
    /// What the numbers in each of the elements are.
    elements_are: &'static str,
    elements: Vec<Vec<u32>>,
    /// What the simulation does about it.
    then: &'static str,
}

impl Report {
    fn new(mesh: &SceneMesh, scene: &Scene) -> Result<Self> {
        let SceneMesh { source, prepared, preparation, .. } = mesh;
        let cloth = scene.cloth()?;
        let inspection = Inspection::new(prepared);
        let first = source.first_number;
        let size = mesh.size().to_array();
        let bending = cloth.springs.iter().filter(|spring| spring.kind == SpringKind::Bending).count();
        let border = |border: &model::Border| Border {
            vertex: border.vertex + first,
            edges: border.edge_count,
            length_m: border.length,
        };
        let group = |group: &model::VertexGroup| Group { name: group.name.clone(), vertices: group.vertices.len() };
        Ok(Self {
            file: mesh.path.display().to_string(),
            counted_from: first,
            vertices: source.positions.len(),
            faces: source.face_sizes.len(),
            groups: source.groups.iter().map(group).collect(),
            attributes: source.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
            texture_coordinates: source.uvs.is_some(),
            metres_per_unit: preparation.metres_per_unit,
            unit_is_guessed: mesh.unit_is_guessed,
            up: preparation.up.name().into(),
            size_m: size,
            area_m2: inspection.area,
            shortest_edge_m: inspection.edge_lengths[0],
            mean_edge_m: inspection.edge_lengths[1],
            longest_edge_m: inspection.edge_lengths[2],
            particles: cloth.positions.len(),
            triangles: cloth.triangles.len(),
            stretch_constraints: cloth.springs.len() - bending,
            bending_constraints: bending + cloth.hinges.len(),
            mass_kg: inspection.area * f64::from(scene.area_density),
            weld_distance_m: prepared.weld_distance,
            components: inspection.components.iter().map(|vertex| vertex + first).collect(),
            borders: inspection.borders.iter().map(border).collect(),
            findings: findings(&prepared.findings, &inspection, first),
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<14}{value}");
        };
        line("mesh", format!("{}; its vertices and faces are counted from {}", self.file, self.counted_from));
        let [x, y, z] = self.size_m;
        let guessed = if self.unit_is_guessed { ", guessed from its size: --scale sets it" } else { "" };
        line(
            "size",
            format!("{x:.3} x {y:.3} x {z:.3} m ({} m a unit{guessed}), {} up", self.metres_per_unit, self.up),
        );
        let uvs = if self.texture_coordinates { "texture coordinates" } else { "no texture coordinates" };
        line("file", format!("{} vertices, {} faces, {uvs}", self.vertices, self.faces));
        let groups = self.groups.iter().map(|group| format!("{} ({})", group.name, group.vertices));
        if !self.groups.is_empty() {
            line("groups", listed(groups.collect(), self.groups.len() as u64));
        }
        if !self.attributes.is_empty() {
            line("attributes", listed(self.attributes.clone(), self.attributes.len() as u64));
        }
        let edges = [self.shortest_edge_m, self.mean_edge_m, self.longest_edge_m].map(|length| 1e3 * length);
        line(
            "simulated",
            format!(
                "{} particles, {} triangles, {:.4} m², {:.3} kg; edges of {:.2} to {:.2} mm, {:.2} mm on average",
                self.particles, self.triangles, self.area_m2, self.mass_kg, edges[0], edges[2], edges[1]
            ),
        );
        line(
            "constraints",
            format!("{} against stretching, {} against bending", self.stretch_constraints, self.bending_constraints),
        );
        let pieces = self.components.iter().map(|vertex| format!("with vertex {vertex}"));
        line("components", counted(self.components.len(), pieces));
        let borders = self
            .borders
            .iter()
            .map(|border| format!("{} edges, {:.3} m, with vertex {}", border.edges, border.length_m, border.vertex));
        line("borders", counted(self.borders.len(), borders));
        for Finding { what, count, elements_are, elements, then } in &self.findings {
            let elements =
                elements.iter().map(|numbers| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join("-"));
            text += &format!("\n{what} ({count}): {then}\n  {elements_are} {}\n", listed(elements.collect(), *count));
        }
        if self.findings.is_empty() {
            text.push_str("\nnothing to mend, and ready to be simulated\n");
        } else {
            text.push_str("\nready to be simulated\n");
        }
        text
    }
}

/// A number of things, and the first of them.
fn counted(count: usize, things: impl Iterator<Item = String>) -> String {
    match count {
        0 => "none".into(),
        _ => format!("{count}: {}", listed(things.take(MOST_NAMED + 1).collect(), count as u64)),
    }
}

/// The first of `count` things.
fn listed(mut things: Vec<String>, count: u64) -> String {
    things.truncate(MOST_NAMED);
    let left = count - things.len() as u64;
    if left > 0 {
        things.push(format!("and {left} more"));
    }
    things.join("; ")
}

fn findings(found: &Findings, inspection: &Inspection, first: u32) -> Vec<Finding> {
    let each = |list: &[u32]| list.iter().map(|number| vec![number + first]).collect::<Vec<_>>();
    let pairs =
        |list: &[[u32; 2]]| list.iter().map(|pair| pair.map(|number| number + first).to_vec()).collect::<Vec<_>>();
    let finding = |what, elements_are, elements: Vec<Vec<u32>>, then| Finding {
        what,
        count: elements.len() as u64,
        elements_are,
        elements,
        then,
    };
    let junctions = inspection.t_junctions.iter();
    let junctions =
        junctions.map(|junction| [junction.vertex, junction.edge[0], junction.edge[1]].map(|it| it + first).to_vec());
    const { assert!(SLIVER == 0.02, "the sentence below says 1/50") };
    let all = [
        finding(
            "vertices split along seams",
            "vertices, each with the one it moves as:",
            pairs(&found.welded),
            "welded, each moves as one particle with another; files that are written have both",
        ),
        finding(
            "pairs of pieces that lie on each other all over",
            "a vertex of each:",
            pairs(&found.layers),
            "not welded; they are simulated as layers, which go through each other",
        ),
        finding(
            "T-junctions",
            "each vertex, and the edge it lies on:",
            junctions.collect(),
            "left open: the vertex will come off the edge; split the edge there in a modelling program",
        ),
        finding(
            "edges of three faces or more",
            "their vertices:",
            pairs(&found.non_manifold_edges),
            "all of the faces are held together there, and each bends against the next",
        ),
        finding(
            "surfaces with one side only",
            "a face where they meet themselves turned over:",
            each(found.one_sided.as_slice()),
            "simulated; light and the lift of the air change sides along a line",
        ),
        finding(
            "faces without an area",
            "faces:",
            each(&found.no_area),
            "left out: they have no mass and no direction",
        ),
        finding(
            "faces that are there twice",
            "faces, each with the one it lies on:",
            pairs(&found.duplicates),
            "left out, or the cloth would weigh twice as much there",
        ),
        finding(
            "faces that are the backs of others",
            "faces, each with the one it lies on:",
            pairs(&found.opposites),
            "left out: a cloth has two sides as it is",
        ),
        finding("faces that face the other way than their neighbours", "faces:", each(&found.turned), "turned round"),
        finding(
            "faces with slivers, thinner than 1/50 of their longest edge",
            "faces:",
            each(&inspection.slivers),
            "simulated as they are; they need more substeps than others to be stiff",
        ),
        finding("vertices of no face", "vertices:", each(&found.isolated), "held where they are, as they have no mass"),
        Finding {
            count: inspection.intersections.count,
            ..finding(
                "places where the surface goes through itself",
                "pairs of faces:",
                pairs(&inspection.intersections.faces),
                "left as they are: cloth does not collide with itself",
            )
        },
    ];
    all.into_iter().filter(|finding| finding.count > 0).collect()
}
