//! What is measured. Another case is another entry of the list, and a twin that differs in a key is one line.

use anyhow::Result;
use tautline::scene::Scene;

use crate::arguments::Arguments;
use crate::backend::Backend;

/// Keys of a scene with their values.
type Settings = &'static [(&'static str, &'static str)];

/// A scene that is run from its start and measured.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub backend: Backend,
    /// What it starts from; without it, a grid that hangs without wind.
    pub preset: Option<&'static str>,
    /// What it sets, the later ones counting more.
    pub settings: &'static [Settings],
    /// What a quick run sets after that.
    pub quick: Settings,
    /// In what it differs from the case whose twin it is, in quick runs as well.
    pub twin: Settings,
    /// How many frames a repetition has, and how many in a quick run.
    pub frames: [u32; 2],
    /// Whether the strain at the end of a repetition is told.
    pub strain: bool,
}

impl Case {
    /// The scene that it runs.
    pub fn scene(&self, arguments: &Arguments) -> Result<Scene> {
        let mut settings: Vec<_> = self.settings.concat();
        if arguments.quick {
            settings.extend(self.quick);
        }
        settings.extend(self.twin);
        let mut scene = self.preset.map_or_else(|| Ok(Scene::default()), |preset| Scene::load(preset, &[]))?;
        for (key, value) in settings {
            scene.change(key, value)?;
        }
        for (key, value) in &arguments.settings {
            scene.change(key, value)?;
        }
        scene.validate()?;
        Ok(scene)
    }

    /// How many frames a repetition has.
    pub fn frame_count(&self, arguments: &Arguments) -> u32 {
        self.frames[usize::from(arguments.quick)]
    }
}

/// Everything that is measured, in the order of the table.
pub const CASES: &[Case] = &[
    XPBD_100,
    Case { name: "xpbd 100x100, 15 sweeps, plain", twin: PLAIN, ..XPBD_100 },
    XPBD_1024,
    Case { name: "xpbd 1024x1024, 15 sweeps, plain", twin: PLAIN, ..XPBD_1024 },
    XPBD_4096,
    Case { name: "xpbd 4096x4096, 15 sweeps, plain", twin: PLAIN, ..XPBD_4096 },
    XPBD_BENDING,
    Case { name: "xpbd 500x500 with bending, 30 substeps, plain", twin: PLAIN, ..XPBD_BENDING },
    CLOTHS,
    Case { name: "cloths 1,056 of 32x32, 15 sweeps, plain", twin: PLAIN, ..CLOTHS },
    FLAG,
    Case { name: "flag, plain", twin: PLAIN, ..FLAG },
    VERLET_64,
    Case { name: "verlet 64x64, 40 substeps, images", twin: IMAGES, ..VERLET_64 },
    Case { name: "verlet 64x64, 40 substeps, plain", twin: PLAIN, ..VERLET_64 },
    VERLET_4096,
    Case { name: "verlet 4096x4096, 40 substeps, images", twin: IMAGES, ..VERLET_4096 },
    ROPES_500,
    Case { name: "ropes 500 x 64, 10 iterations, plain", twin: PLAIN, ..ROPES_500 },
    ROPES_10000,
    Case { name: "ropes 10,000 x 64, 10 iterations, plain", twin: PLAIN, ..ROPES_10000 },
    TAUT_15,
    TAUT_60,
    TAUT_120,
    CPU_XPBD_100,
    CPU_XPBD_300,
];

/// One dispatch for each part of the method.
const PLAIN: Settings = &[("path", "plain")];
const IMAGES: Settings = &[("storage", "images")];
/// Rigid constraints and gravity alone.
const RIGID: Settings = &[("compliance", "0"), ("shear_compliance", "0"), ("bending_compliance", "0")];
/// One substep of 15 iterations, held by two corners.
const SWEEPS_15: Settings = &[("pins", "top-corners"), ("damping", "0"), ("substeps", "1"), ("iterations", "15")];

const XPBD_100: Case = Case {
    name: "xpbd 100x100, 15 sweeps",
    backend: Backend::Gpu,
    preset: None,
    settings: &[RIGID, SWEEPS_15, &[("columns", "100"), ("rows", "100")]],
    quick: &[("columns", "40"), ("rows", "40")],
    twin: &[],
    frames: [200, 6],
    strain: false,
};

const XPBD_1024: Case = Case {
    name: "xpbd 1024x1024, 15 sweeps",
    settings: &[RIGID, SWEEPS_15, &[("columns", "1024"), ("rows", "1024")]],
    quick: &[("columns", "64"), ("rows", "64")],
    frames: [100, 6],
    ..XPBD_100
};

const XPBD_4096: Case = Case {
    name: "xpbd 4096x4096, 15 sweeps",
    settings: &[RIGID, SWEEPS_15, &[("columns", "4096"), ("rows", "4096")]],
    quick: &[("columns", "96"), ("rows", "96")],
    frames: [60, 6],
    ..XPBD_100
};

const XPBD_BENDING: Case = Case {
    name: "xpbd 500x500 with bending, 30 substeps",
    settings: &[
        RIGID,
        &[("pins", "top-corners"), ("damping", "0"), ("substeps", "30"), ("iterations", "1"), ("bending", "true")],
        &[("columns", "500"), ("rows", "500")],
    ],
    frames: [100, 6],
    ..XPBD_100
};

const CLOTHS: Case = Case {
    name: "cloths 1,056 of 32x32, 15 sweeps",
    settings: &[
        RIGID,
        SWEEPS_15,
        &[("columns", "32"), ("rows", "32"), ("cloth_count", "1056"), ("cloth_columns", "33")],
    ],
    quick: &[("columns", "12"), ("rows", "9"), ("cloth_count", "7")],
    frames: [100, 6],
    ..XPBD_100
};

const FLAG: Case = Case {
    name: "flag",
    preset: Some("flag"),
    settings: &[],
    quick: &[("columns", "40"), ("rows", "40")],
    frames: [200, 6],
    ..XPBD_100
};

const VERLET_64: Case = Case {
    name: "verlet 64x64, 40 substeps",
    preset: Some("verlet"),
    settings: &[&[("storage", "buffers"), ("substeps", "40"), ("columns", "64"), ("rows", "64")]],
    quick: &[("columns", "24"), ("rows", "24")],
    frames: [200, 6],
    ..XPBD_100
};

const VERLET_4096: Case = Case {
    name: "verlet 4096x4096, 40 substeps",
    settings: &[&[("storage", "buffers"), ("substeps", "40"), ("columns", "4096"), ("rows", "4096")]],
    quick: &[("columns", "64"), ("rows", "64")],
    frames: [40, 6],
    ..VERLET_64
};

/// One substep of 10 iterations, all ropes in full detail and nothing to meet.
const ROPES: Settings = &[("rope_lod", "false"), ("substeps", "1"), ("iterations", "10"), ("collider", "[]")];

const ROPES_500: Case = Case {
    name: "ropes 500 x 64, 10 iterations",
    preset: Some("ropes"),
    settings: &[ROPES, &[("rope_count", "500")]],
    quick: &[("rope_count", "20")],
    frames: [400, 6],
    ..XPBD_100
};

const ROPES_10000: Case = Case {
    name: "ropes 10,000 x 64, 10 iterations",
    settings: &[ROPES, &[("rope_count", "10000"), ("rope_columns", "100")]],
    quick: &[("rope_count", "100")],
    ..ROPES_500
};

/// Held along its top edge, and measured by how taut it is after 4 s.
const TAUT: Settings = &[("iterations", "1"), ("columns", "1024"), ("rows", "1024")];

const TAUT_15: Case = Case {
    name: "taut 1024x1024, 15 substeps",
    settings: &[RIGID, TAUT, &[("substeps", "15")]],
    quick: &[("columns", "24"), ("rows", "24"), ("substeps", "2")],
    frames: [240, 240],
    strain: true,
    ..XPBD_100
};

const TAUT_60: Case = Case {
    name: "taut 1024x1024, 60 substeps",
    settings: &[RIGID, TAUT, &[("substeps", "60")]],
    quick: &[("columns", "24"), ("rows", "24"), ("substeps", "4")],
    ..TAUT_15
};

const TAUT_120: Case = Case {
    name: "taut 1024x1024, 120 substeps",
    settings: &[RIGID, TAUT, &[("substeps", "120")]],
    quick: &[("columns", "24"), ("rows", "24"), ("substeps", "6")],
    ..TAUT_15
};

const CPU_XPBD_100: Case = Case { name: "cpu xpbd 100x100, 15 sweeps", backend: Backend::Cpu, ..XPBD_100 };

const CPU_XPBD_300: Case = Case {
    name: "cpu xpbd 300x300, 15 sweeps",
    settings: &[RIGID, SWEEPS_15, &[("columns", "300"), ("rows", "300")]],
    quick: &[("columns", "64"), ("rows", "64")],
    frames: [60, 6],
    ..CPU_XPBD_100
};
