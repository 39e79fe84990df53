//! How GLSL becomes SPIR-V: when the crate is built, and with the feature `hot-reload` while the viewer runs.

use std::fs;
use std::path::{Path, PathBuf};

/// Every shader below `folder`, in a fixed order; the includes in `lib` are none.
pub fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
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

/// What kind of shader a file is, by its ending; the includes are none.
pub fn stage(path: &Path) -> Option<shaderc::ShaderKind> {
    match path.extension()?.to_str()? {
        "comp" => Some(shaderc::ShaderKind::Compute),
        "vert" => Some(shaderc::ShaderKind::Vertex),
        "frag" => Some(shaderc::ShaderKind::Fragment),
        _ => None,
    }
}

/// What a shader says that has to end in the same bits as another that does the same.
const NO_CONTRACTION: &str = "#pragma no_contraction";

/// The SPIR-V of a shader whose includes are in `root`. What is wrong with it is told in one line an error, each
/// `file:line: error: ...`.
pub fn compile(compiler: &shaderc::Compiler, root: &Path, path: &Path) -> Result<Vec<u32>, String> {
    let source = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let kind = stage(path).ok_or_else(|| format!("{}: unknown kind of shader", path.display()))?;
    let mut options = shaderc::CompileOptions::new().map_err(|error| error.to_string())?;
    // Devices of version 1.2 will do, see src/engine/core.rs: no shader needs the SPIR-V 1.6 of version 1.3.
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_2 as u32);
    // Captures show the GLSL as it was written, and step through it; drivers optimise anyway.
    if !cfg!(feature = "strip-shaders") {
        options.set_generate_debug_info();
    }
    options.set_optimization_level(shaderc::OptimizationLevel::Zero);
    options.set_warnings_as_errors();
    options.set_include_callback(|name, _, _, _| {
        let path = root.join(name);
        let content = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(shaderc::ResolvedInclude { resolved_name: path.display().to_string(), content })
    });
    let name = path.display().to_string();
    match compiler.compile_into_spirv(&source, kind, &name, "main", Some(&options)) {
        Ok(binary) if source.lines().any(|line| line == NO_CONTRACTION) => Ok(without_contraction(binary.as_binary())),
        Ok(binary) => Ok(binary.as_binary().to_vec()),
        Err(shaderc::Error::CompilationError(_, lines)) => Err(lines),
        Err(error) => Err(error.to_string()),
    }
}

/// A module whose arithmetic is done operation by operation, as if every variable were `precise`: else drivers join
/// multiplications and additions into one rounding, and not alike in every shader.
fn without_contraction(words: &[u32]) -> Vec<u32> {
    let header = 5;
    let (mut annotated, mut declared) = (words[..header].to_vec(), Vec::new());
    let mut rest = &words[header..];
    while let Some(&head) = rest.first() {
        let (instruction, after) = rest.split_at((head >> 16) as usize);
        rest = after;
        let op = spirv::Op::from_u32(head & 0xffff);
        if op.is_some_and(is_arithmetic) {
            let decoration = spirv::Decoration::NoContraction as u32;
            annotated.extend([3 << 16 | spirv::Op::Decorate as u32, instruction[2], decoration]);
        }
        // Annotations come before the first type, and all else after it.
        let is_declared = !declared.is_empty() || op == Some(spirv::Op::TypeVoid);
        if is_declared { &mut declared } else { &mut annotated }.extend_from_slice(instruction);
    }
    annotated.append(&mut declared);
    annotated
}

/// Whether an instruction computes, be it by a function such as `length`.
fn is_arithmetic(op: spirv::Op) -> bool {
    use spirv::Op;
    matches!(
        op,
        Op::FNegate
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::VectorTimesScalar
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Dot
            | Op::ExtInst
    )
}
