//! Compiles `glsl/` to SPIR-V and writes out how the structs in it are laid out.
//!
//! A shader that does not compile fails the build with its file and line. The generated files are included by
//! `src/shaders.rs` and `src/layout`.

#[path = "src/engine/reflect.rs"]
#[allow(dead_code)]
mod reflect;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use reflect::StructLayout;

const ROOT: &str = "glsl";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={ROOT}");
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
    let mut shaders = String::new();
    for path in sources(Path::new(ROOT))? {
        let words = compile(&compiler, &path)?;
        let reflection = reflect::reflect(&words).map_err(|reason| format!("{}: {reason}", path.display()))?;
        for (name, layout) in reflection.structs {
            let (first, known) = layouts.entry(name.clone()).or_insert_with(|| (path.clone(), layout.clone()));
            if *known != layout {
                let (first, path) = (first.display(), path.display());
                return Err(format!("{path}: struct {name} is laid out otherwise than in {first}"));
            }
        }
        write_shader(&mut shaders, &path, &words);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this through cargo")?);
    let write = |name: &str, text: &str| fs::write(out.join(name), text).map_err(|error| format!("{name}: {error}"));
    write("shaders.rs", &shaders)?;
    write("layouts.rs", &layout_constants(&layouts))
}

/// Every shader below `folder`, in a fixed order; the includes in `lib` are none.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if stage(&path).is_some() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn stage(path: &Path) -> Option<shaderc::ShaderKind> {
    match path.extension()?.to_str()? {
        "comp" => Some(shaderc::ShaderKind::Compute),
        "vert" => Some(shaderc::ShaderKind::Vertex),
        "frag" => Some(shaderc::ShaderKind::Fragment),
        _ => None,
    }
}

fn compile(compiler: &shaderc::Compiler, path: &Path) -> Result<Vec<u32>, String> {
    let source = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let kind = stage(path).ok_or_else(|| format!("{}: unknown kind of shader", path.display()))?;
    let mut options = shaderc::CompileOptions::new().map_err(|error| error.to_string())?;
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
    // Captures show the GLSL as it was written; drivers optimise anyway.
    options.set_generate_debug_info();
    options.set_optimization_level(shaderc::OptimizationLevel::Zero);
    options.set_warnings_as_errors();
    options.set_include_callback(|name, _, _, _| {
        let path = Path::new(ROOT).join(name);
        let content = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(shaderc::ResolvedInclude { resolved_name: path.display().to_string(), content })
    });
    let name = path.display().to_string();
    match compiler.compile_into_spirv(&source, kind, &name, "main", Some(&options)) {
        Ok(binary) => Ok(binary.as_binary().to_vec()),
        // One line an error, each `file:line: error: ...`.
        Err(shaderc::Error::CompilationError(_, lines)) => Err(lines),
        Err(error) => Err(error.to_string()),
    }
}

/// One constant a shader: `PBD_SOLVE` of `glsl/pbd/solve.comp`, `VIEW_CLOTH_VERT` of `glsl/view/cloth.vert`.
fn write_shader(shaders: &mut String, path: &Path, words: &[u32]) {
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
