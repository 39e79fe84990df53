//! The keys of a scene, each written once: its documentation, its type, its default and its range.
//!
//! The ranges are far wider than any cloth; within them the solvers' 32-bit arithmetic stays finite.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use glam::Vec3;

use super::colliders::ColliderTable;
use super::copies::MOST_CLOTHS;
use super::cut_tables::CutTable;
use super::error::{Place, SceneError, shortened};
use super::fabrics::FabricName;
use super::files::SceneFiles;
use super::pin_tables::PinTable;
use super::playback::Playback;
use super::texture::ImagePath;
use super::values::{Form, Numbers, Pins, SolverKind, Value, range_text};
use crate::model::{
    BendingForm, GridPlane, HANGING_PIN_FRACTION, HeldEnds, MOST_ROPE_PARTICLES, MOST_ROPES, UpAxis, WELD_SHARE,
};
use crate::solver::{Clock, ConstraintSolver, Path, VerletStorage, WatchPolicy};

/// One key of a scene: what a person is told of it, and how it is read and written.
pub struct Key {
    /// Its name in a file, and the field's.
    pub name: &'static str,
    /// What it means, from the field's documentation.
    pub documentation: &'static str,
    /// Unit of its numbers, empty where they have none.
    pub unit: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// Range of its numbers.
    pub(super) range: fn() -> Option<RangeInclusive<f64>>,
    /// What its value must be, to end "must be".
    pub(super) expected: fn() -> String,
    /// How a value that cannot be put into the scene is told, to end "not".
    pub(super) found: fn(&toml::Value) -> String,
    /// Puts a value into the scene; false where it has another type or is out of range.
    pub(super) set: fn(&mut Scene, &toml::Value) -> bool,
    /// The scene's value; none where it has none.
    pub(super) get: fn(&Scene) -> Option<toml::Value>,
}

/// Makes [`Scene`] and [`KEYS`] of one list, so that no key is missing from either.
macro_rules! scene {
    ($($(#[doc = $line:literal])+ $key:ident: $kind:ty = $default:expr $(, in $range:expr, $unit:literal)?;)+) => {
        /// Everything that a simulation starts from. One field a key of a scene file; [`Scene::load`] reads it.
        ///
        /// The defaults are those of a flag that hangs without wind. It displays as a scene file with every key.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Scene {
            /// Name of the preset, or of the file without its extension. Not a key.
            pub name: String,
            /// What has been read of the files that it names. Not a key.
            pub files: SceneFiles,
            /// The cache that is played back instead of simulating, if one is. Not a key.
            pub playback: Option<Playback>,
            $(
                $(#[doc = $line])+
                ///
                #[doc = concat!("Default: `", stringify!($default), "`" $(, ", in `", stringify!($range), "`")?, ".")]
                pub $key: $kind,
            )+
        }

        impl Default for Scene {
            fn default() -> Self {
                Self { name: "default".into(), files: SceneFiles::default(), playback: None, $($key: $default,)+ }
            }
        }

        /// Every key, in the order of the fields.
        pub(super) const KEYS: &[Key] = &[$(Key {
            name: stringify!($key),
            documentation: concat!($($line, "\n"),+),
            unit: concat!($($unit)?),
            form: <$kind>::FORM,
            range: || None$(.or_else(|| Some(bounds::<$kind>(&$range))))?,
            expected: || <$kind>::expected() $(+ &range_text(&$range, $unit))?,
            found: <$kind>::found,
            set: |scene, value| {
                let read = <$kind>::read(value)$(.filter(|read| read.are_within(&$range)))?;
                read.map(|read| scene.$key = read).is_some()
            },
            get: |scene| scene.$key.write(),
        },)+];
    };
}

scene! {
    /// What moves the particles: `"verlet"` (springs, document 000), `"mass-spring"` (springs, document 001), `"xpbd"`,
    /// `"pbd"` or `"xpbd-document"` (constraints; the last as document 002 has them), or `"rope"` (ropes, document
    /// 004).
    solver: SolverKind = SolverKind::Xpbd;

    /// A mesh to hang up, a file that ends in `.obj`, `.gltf`, `.glb`, `.ply` or `.stl`, relative to the scene file. Without it the cloth is a grid.
    mesh: Option<PathBuf> = None;
    /// Unit of the mesh's file \[m\]: 0.01 where it is in centimetres. Left out it is what the format says (glTF is in metres), or
    /// else guessed from the size: up to 10 units are metres, up to 300 centimetres, and more millimetres.
    scale: Option<f32> = None, in 1e-9..=1e9, "m";
    /// What points up in the mesh's file: `"x"`, `"y"`, `"z"` or, by what is usual for its format, `"guess"`: y in OBJ and glTF
    /// files, z in PLY and STL files.
    up: Option<UpAxis> = None;
    /// How far apart vertices at open borders of one surface may be to be welded, as a share of the mesh's longest side: so
    /// closes what a program has split along seams of texture or shading.
    weld: f32 = WELD_SHARE, in 0.0..=0.01, "";
    /// Mass of a mesh's cloth \[kg/m²\].
    area_density: f32 = 0.25, in 1e-9..=1e9, "kg/m²";
    /// Share of a mesh's height, from its top, that is pinned.
    pin_fraction: f32 = HANGING_PIN_FRACTION, in 0.0..=1.0, "";

    /// Particles of a grid across; `columns` times `rows` is at most 2^26.
    columns: u32 = 100, in 2..=1 << 26, "";
    /// Particles of a grid down; 1 makes a chain.
    rows: u32 = 100, in 1..=1 << 26, "";
    /// Distance between neighbours of a grid \[m\].
    spacing: f32 = 0.02, in 1e-9..=1e9, "m";
    /// How a grid starts: `"vertical"`, or `"horizontal"` and about to swing down.
    plane: GridPlane = GridPlane::Vertical;
    /// Mass of each particle of a grid \[kg\].
    particle_mass: f32 = 1e-4, in 1e-9..=1e9, "kg";
    /// Which particles of a grid are held: `"top-row"`, `"top-corners"`, `"none"`, or an array of indices, where
    /// `row * columns + column` is a particle's index. A mesh hangs by its top (`pin_fraction`), but with `"none"`.
    pins: Pins = Pins::TopRow;
    /// Particles that are held, moved or let go, each a table as [`PinTable`] says.
    pin: Vec<PinTable> = Vec::new();
    /// Whether a grid of constraints resists bending, for solvers of constraints; a mesh and `verlet` always do.
    bending: bool = false;
    /// How many grids there are, for solvers of constraints: all alike, each with what `pins` holds, and joined by nothing.
    cloth_count: u32 = 1, in 1..=MOST_CLOTHS, "";
    /// How many grids are in a row, one beside the other along x; the rows lie along z.
    cloth_columns: u32 = 1, in 1..=MOST_CLOTHS, "";
    /// Distance between two grids of a row, and between two rows \[m\].
    cloth_spacing: f32 = 0.25, in 0.0..=1e6, "m";

    /// A PNG image that is printed on both sides of the cloth, relative to the scene file: all of it on a grid, and on
    /// a mesh where its texture coordinates say.
    texture: Option<ImagePath> = None;
    /// Squares each way of a checkerboard instead, across what a texture covers; 0 for none.
    checker: u32 = 0, in 0..=1000, "";

    /// Duration of one step \[s\].
    dt: f32 = 1.0 / 60.0, in 1e-9..=1.0, "s";
    /// Parts into which a step is divided, each predicted and solved on its own; `xpbd-document` predicts once, and has
    /// `substeps` times `iterations` iterations.
    substeps: u32 = 15, in 1..=10_000, "";
    /// How often a substep goes over all constraints; `verlet` has none.
    iterations: u32 = 1, in 1..=10_000, "";
    /// Whether `verlet` and `mass-spring` may start with substeps that are too long for their springs.
    allow_unstable: bool = false;
    /// How many times as fast as wall time a window shows simulated time; 0 stands still.
    time_scale: f32 = 1.0, in 0.0..=Clock::MAX_TIME_SCALE, "";
    /// How an iteration goes over the constraints: batch by batch (`"gauss-seidel"`), or all at once (`"jacobi"`).
    constraint_solver: ConstraintSolver = ConstraintSolver::GaussSeidel;
    /// How the work of a step is divided into dispatches on the GPU, with the same result: as is fastest there (`"auto"`), one
    /// for each part of the method (`"plain"`), or as much as possible in each (`"fused"`).
    path: Path = Path::Auto;
    /// What is done where the simulation goes wrong: nobody minds (`"off"`), it is said (`"warn"`), it is said and time stands still
    /// (`"pause"`), or it goes back to the last good state and on from there with half the step (`"recover"`). A number that is
    /// none is always wrong.
    watch: WatchPolicy = WatchPolicy::Warn;
    /// Beyond which strain of a structural spring it has gone wrong; 1 is twice the length at rest.
    watch_strain: f32 = 10.0, in 0.0..=1e9, "";
    /// Beyond which speed of a particle \[m/s\].
    watch_speed: f32 = 1000.0, in 0.0..=1e9, "m/s";
    /// Beyond which depth of a particle in a collider \[m\]; left out, any depth will do.
    watch_depth: Option<f32> = None, in 0.0..=1e9, "m";
    /// Of how many steps one is looked at; 0 for as many as cost less than 2 % of them.
    watch_every: u32 = 0, in 0..=1_000_000, "";
    /// Below which speed of its fastest particle a body falls asleep, once it has kept below it for a second \[m/s\]: it stays where
    /// it is, and steps take no work, until something acts on it; 0 for never. A bake has none of it.
    sleep_speed: f32 = 0.0, in 0.0..=1e9, "m/s";
    /// Gravity \[m/s²\].
    gravity: Vec3 = Vec3::new(0.0, -9.81, 0.0), in -1e9..=1e9, "m/s²";

    /// What the cloth is made of: it sets `area_density`, the compliances, `bending_stiffness` and `damping`, and of a grid
    /// `particle_mass`, `bending` and `bending_form`, where these are not set themselves; `fabrics.toml` says what to, and
    /// after whom.
    fabric: Option<FabricName> = None;
    /// Rate at which velocities decay \[1/s\], for solvers of constraints.
    damping: f32 = 0.2, in 0.0..=1e9, "1/s";
    /// How far the cloth extends along its weft under a force per width \[m/N\], which is 1 / (E h) of a thickness h; `pbd` is
    /// rigid. The weft lies along the rows of a grid, and on a mesh where its texture coordinate u grows; without those, all
    /// edges have it.
    compliance: f32 = 1e-6, in 0.0..=1e9, "m/N";
    /// The same along the warp, the columns of a grid and where v grows \[m/N\]; without it, as `compliance`.
    warp_compliance: Option<f32> = None, in 0.0..=1e9, "m/N";
    /// The same along the bias of a mesh with texture coordinates, at 45° to both; inverse stiffness along the diagonals of a
    /// grid \[m/N\]. `pbd` is rigid.
    shear_compliance: f32 = 1e-6, in 0.0..=1e9, "m/N";
    /// What resists bending, where anything does: the angle between two triangles (`"dihedral"`, with `bending_stiffness`), or
    /// the distance across two cells or two triangles (`"distance"`, with `bending_compliance`). Without it, the angle on a
    /// mesh and the distance on a grid.
    bending_form: Option<BendingForm> = None;
    /// Flexural rigidity, the moment per width and curvature by which angles are held \[N m\], which is E h³ / (12 (1 - ν²)) of
    /// a thickness h; 0 for none. `pbd` has it too, as it would be cardboard else.
    bending_stiffness: f32 = 1e-5, in 0.0..=1e9, "N m";
    /// Inverse stiffness across two cells or two triangles \[m/N\], where distances resist bending; `pbd` is rigid.
    bending_compliance: f32 = 1e-2, in 0.0..=1e9, "m/N";

    /// Whether particles stay within reach of the pins, along the cloth at rest, however few sweeps there are; for solvers of
    /// constraints.
    long_range_attachments: bool = false;
    /// Largest strain that springs along the rows and columns of a grid or the edges of a mesh keep, whatever hangs on them and
    /// however few sweeps there are; 0.02 is 2 %, and 0 is no limit. For solvers of constraints.
    max_strain: f32 = 0.0, in 0.0..=10.0, "";

    /// Factor on the rest lengths of all constraints, for solvers of constraints: below 1 the cloth shrinks.
    elongation: f32 = 1.0, in 0.1..=10.0, "";

    /// Share of the implicit velocity that a substep loses (document 000's damping), for `verlet` and `rope`.
    velocity_loss: f32 = 0.01, in 0.0..=1.0, "";
    /// Stiffness along grid lines \[N/m\], for `verlet`.
    structural_stiffness: f32 = 40.0, in 1e-9..=1e9, "N/m";
    /// Stiffness along the diagonals of a grid \[N/m\], for `verlet`.
    shear_stiffness: f32 = 20.0, in 0.0..=1e9, "N/m";
    /// Stiffness across two cells \[N/m\], for `verlet`.
    flexion_stiffness: f32 = 10.0, in 0.0..=1e9, "N/m";
    /// Where `verlet` keeps its particles on the GPU: in `"images"`, as document 000 has it, or in `"buffers"`, where several
    /// substeps are computed in one dispatch; both end in the same bits.
    storage: VerletStorage = VerletStorage::Images;

    /// Stiffness of all springs \[N/m\], for `mass-spring`.
    spring_stiffness: f32 = 2.0, in 1e-9..=1e9, "N/m";
    /// Damping of all springs, along the spring \[N s/m\], for `mass-spring`.
    spring_damping: f32 = 0.0005, in 0.0..=1e9, "N s/m";
    /// An acceleration beside gravity \[m/s²\], for `mass-spring` and `rope`.
    external_acceleration: Vec3 = Vec3::ZERO, in -1e9..=1e9, "m/s²";

    /// How many ropes, for `rope`.
    rope_count: u32 = 1, in 1..=MOST_ROPES as u32, "";
    /// How many ropes lie in a row, one after the other along x; the rows lie along z.
    rope_columns: u32 = 1, in 1..=MOST_ROPES as u32, "";
    /// Particles of each rope.
    rope_particles: u32 = 64, in 2..=MOST_ROPE_PARTICLES as u32, "";
    /// Length of each rope \[m\].
    rope_length: f32 = 1.5, in 1e-3..=1e6, "m";
    /// Distance between the ends of a rope, between which it starts as it would hang; 0 has it start straight down
    /// \[m\].
    rope_span: f32 = 1.0, in 0.0..=1e6, "m";
    /// Distance between two rows, and between the ends of two ropes of a row \[m\].
    rope_spacing: f32 = 0.25, in 0.0..=1e6, "m";
    /// Which ends of ropes are held: `"both"`, `"first"`, `"last"` or `"none"`.
    rope_held: HeldEnds = HeldEnds::Both;
    /// How what holds the ropes moves, as seen from where it starts: keyframes `[time, x, y, z]` \[s, m\], of which
    /// two of one time are a jump.
    rope_motion: Vec<[f64; 4]> = Vec::new();
    /// When the ends that are held are let go \[s\]; without it, never.
    rope_release: Option<f32> = None, in 1e-9..=1e9, "s";
    /// Half the thickness with which ropes are drawn \[m\]; to colliders they are thin.
    rope_radius: f32 = 0.005, in 1e-6..=1e3, "m";
    /// Whether ropes are coarser in the distance.
    rope_lod: bool = false;
    /// Distances from the camera beyond which ropes are at level 1, 2 and 3 of detail \[m\].
    rope_lod_distances: Vec3 = Vec3::new(16.0, 20.0, 24.0), in 0.0..=1e9, "m";
    /// Share of such a distance that a rope has to be beyond or within it, so as not to go back and forth.
    rope_lod_hysteresis: f32 = 0.02, in 0.0..=0.5, "";
    /// Time in which what differs between two levels falls below a tenth \[s\].
    rope_lod_blend: f32 = 0.3, in 1e-3..=10.0, "s";
    /// How far ropes at level 3 sway to either side \[degrees\].
    rope_lod_sway: f32 = 1.5, in 0.0..=90.0, "degrees";
    /// Where ropes are seen from, for their level of detail, in a run without a window \[m\]; left out, from where a
    /// picture shows all of them.
    rope_lod_camera: Option<Vec3> = None, in -1e9..=1e9, "m";

    /// What the cloth collides with, each a table as [`ColliderTable`] says.
    collider: Vec<ColliderTable> = Vec::new();

    /// When and how the cloth is cut, for solvers of constraints, each a table as [`CutTable`] says.
    cut: Vec<CutTable> = Vec::new();

    /// Where a cloth of the same size is drawn whose vertex shader has sine waves and which nothing can touch, to
    /// compare: the middle of its upper edge \[m\]; without it, there is none.
    sine_cloth: Option<Vec3> = None, in -1e9..=1e9, "m";

    /// Mean wind, as an acceleration \[m/s²\], for solvers of constraints and for `verlet`.
    wind: Vec3 = Vec3::ZERO, in -1e9..=1e9, "m/s²";
    /// Amplitude of the wind's flutter \[m/s²\].
    wind_flutter: f32 = 0.0, in -1e9..=1e9, "m/s²";
    /// Wave number of the flutter \[rad/m\].
    wind_flutter_wave_number: f32 = 3.0, in -1e9..=1e9, "rad/m";
    /// Frequency of the flutter \[Hz\].
    wind_flutter_frequency: f32 = 0.8, in -1e9..=1e9, "Hz";
    /// Share of the flutter that lifts.
    wind_flutter_lift: f32 = 2.0, in -1e9..=1e9, "";

    /// Density of air that blows on the triangles with drag and lift \[kg/m³\], for every solver of cloth; 0 for none.
    air_density: f32 = 0.0, in 0.0..=1e3, "kg/m³";
    /// Velocity of that air \[m/s\].
    air_velocity: Vec3 = Vec3::ZERO, in -1e4..=1e4, "m/s";
    /// Coefficient of drag, along the air's way past a triangle.
    drag_coefficient: f32 = 1.2, in 0.0..=1e3, "";
    /// Coefficient of lift, across the air's way.
    lift_coefficient: f32 = 0.8, in 0.0..=1e3, "";
}

/// A range of any numbers in `f64`.
fn bounds<Value: Numbers>(range: &RangeInclusive<Value::Number>) -> RangeInclusive<f64> {
    (*range.start()).into()..=(*range.end()).into()
}

impl Key {
    /// Range of its numbers; none where it has no numbers, or any will do.
    #[must_use]
    pub fn range(&self) -> Option<RangeInclusive<f64>> {
        (self.range)()
    }

    /// What its value must be, to end "must be".
    #[must_use]
    pub fn expected(&self) -> String {
        (self.expected)()
    }

    /// The scene's value as [`Scene::change`] takes it; none where it has none.
    #[must_use]
    pub fn text(&self, scene: &Scene) -> Option<String> {
        (self.get)(scene).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_string))
    }
}

impl Scene {
    /// Every key, in the order of the fields.
    #[must_use]
    pub fn keys() -> &'static [Key] {
        KEYS
    }

    /// Sets the key that `place` names to a value.
    pub(super) fn set(&mut self, name: &str, value: &toml::Value, place: Place) -> Result<(), SceneError> {
        let Some(key) = KEYS.iter().find(|key| key.name == name) else {
            return Err(SceneError::UnknownKey { place, key: shortened(name) });
        };
        if (key.set)(self, value) {
            return Ok(());
        }
        let (expected, found) = ((key.expected)(), (key.found)(value));
        Err(SceneError::Value { place, key: name.into(), expected, found })
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for key in KEYS {
            if let Some(value) = (key.get)(self) {
                writeln!(formatter, "{} = {value}", key.name)?;
            }
        }
        Ok(())
    }
}
