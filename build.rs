//! Compiles `glsl/` to SPIR-V and writes out how the structs in it are laid out.
//!
//! A shader that does not compile fails the build with its file and line. The generated files are included by
//! `src/shaders.rs` and `src/layout`.

#[path = "src/bin/viewer/compile.rs"]
mod compile;
#[path = "src/engine/reflect.rs"]
#[allow(dead_code)]
mod reflect;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use compile::{compile, sources};
use reflect::StructLayout;

const ROOT: &str = "glsl";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={ROOT}");
    println!("cargo::rerun-if-changed=src/bin/viewer/compile.rs");
    println!("cargo::rerun-if-changed=src/engine/reflect.rs");
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            for line in message.lines().filter(|line| !line.is_empty()) {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let compiler = shaderc::Compiler::new().map_err(|error| format!("shaderc cannot start: {error}"))?;
    let mut layouts: BTreeMap<String, (PathBuf, StructLayout)> = BTreeMap::new();
    let (mut shaders, mut kernels) = (String::new(), Vec::new());
    for path in sources(Path::new(ROOT))? {
        let words = compile(&compiler, Path::new(ROOT), &path)?;
        let reflection = reflect::reflect(&words).map_err(|reason| format!("{}: {reason}", path.display()))?;
        for (name, layout) in reflection.structs {
            let (first, known) = layouts.entry(name.clone()).or_insert_with(|| (path.clone(), layout.clone()));
            if *known != layout {
                let (first, path) = (first.display(), path.display());
                return Err(format!("{path}: struct {name} is laid out otherwise than in {first}"));
            }
        }
        let constant = write_shader(&mut shaders, &path, &words);
        if path.extension().is_some_and(|extension| extension == "comp") {
            kernels.push(constant);
        }
    }
    let _ = writeln!(
        shaders,
        "/// Every compute shader, in the order of their paths.\npub const KERNELS: [ShaderCode<'static>; {}] = [{}];",
        kernels.len(),
        kernels.join(", ")
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this through cargo")?);
    let write = |name: &str, text: &str| fs::write(out.join(name), text).map_err(|error| format!("{name}: {error}"));
    write("shaders.rs", &shaders)?;
    write("layouts.rs", &layout_constants(&layouts))
}

/// One constant a shader: `PBD_SOLVE` of `glsl/pbd/solve.comp`, `VIEW_CLOTH_VERT` of `glsl/view/cloth.vert`. Returns its name.
fn write_shader(shaders: &mut String, path: &Path, words: &[u32]) -> String {
    let relative = path.strip_prefix(ROOT).unwrap_or(path).with_extension("");
    let name = relative.display().to_string().replace('\\', "/");
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let suffix = if extension == "comp" { String::new() } else { format!("_{extension}") };
    let constant = format!("{name}{suffix}").replace('/', "_").to_uppercase();
    let _ = writeln!(
        shaders,
        "/// `glsl/{name}.{extension}`\npub const {constant}: ShaderCode<'static> = ShaderCode {{ name: {name:?}, words: \
         &{words:?} }};"
    );
    constant
}

/// One module a struct, with its size and the offset of each member.
fn layout_constants(layouts: &BTreeMap<String, (PathBuf, StructLayout)>) -> String {
    let mut text = String::new();
    for (name, (_, layout)) in layouts {
        let _ = writeln!(text, "pub mod {name} {{ pub const SIZE: usize = {};", layout.size);
        let _ = writeln!(text, "pub const MEMBERS: usize = {};", layout.members.len());
        for (member, offset) in &layout.members {
            let _ = writeln!(text, "pub const {member}: usize = {offset};");
        }
        text.push_str("}\n");
    }
    text
}
