//! Whether the compiled shaders carry the GLSL that captures show.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use tautline::engine::ShaderCode;
use tautline::engine::reflect::reflect;
use tautline::shaders;

/// The instructions of a kind with their operands, by the first words of each: its length above its code.
fn instructions<'a>(code: &ShaderCode<'a>, op: spirv::Op) -> Vec<&'a [u32]> {
    let (mut rest, mut found) = (&code.words[5..], Vec::new());
    while let Some(word) = rest.first() {
        let (instruction, after) = rest.split_at((word >> 16) as usize);
        found.extend((word & 0xffff == op as u32).then_some(instruction));
        rest = after;
    }
    found
}

fn count(code: &ShaderCode<'_>, op: spirv::Op) -> usize {
    instructions(code, op).len()
}

/// What has to end in the same bits in several kernels is done operation by operation in those that say so.
#[test]
fn kernels_that_agree_to_the_bit_contract_nothing() {
    use spirv::Op;
    for code in shaders::KERNELS {
        let decorated: HashSet<u32> = instructions(&code, Op::Decorate)
            .into_iter()
            .filter(|decoration| decoration[2] == spirv::Decoration::NoContraction as u32)
            .map(|decoration| decoration[1])
            .collect();
        let arithmetic = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::VectorTimesScalar, Op::Dot, Op::ExtInst];
        let results: Vec<u32> =
            arithmetic.iter().flat_map(|op| instructions(&code, *op)).map(|found| found[2]).collect();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("glsl/{}.comp", code.name));
        let is_exact = fs::read_to_string(file).unwrap().lines().any(|line| line == "#pragma no_contraction");
        assert!(is_exact || !code.name.starts_with("verlet/"), "{}", code.name);
        assert!(results.iter().all(|id| decorated.contains(id) == is_exact), "{}", code.name);
    }
}

#[test]
fn shaders_carry_their_source_unless_it_is_left_out() {
    let stripped = cfg!(feature = "strip-shaders");
    let shaders =
        [(shaders::PBD_SOLVE, "comp"), (shaders::ROPE_STEP, "comp"), (shaders::VIEW_CLOTH_CORNERS_FRAG, "frag")];
    for (code, ending) in shaders {
        let file = format!("glsl/{}.{ending}", code.name);
        let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)).unwrap();
        // Strings lie in words from the lowest byte on.
        let bytes: Vec<u8> = code.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let carries = bytes.windows(source.len()).any(|window| window == source.as_bytes());
        assert_eq!(carries, !stripped, "{file}");
        assert_eq!(count(&code, spirv::Op::Line) > 0, !stripped, "{file}");
        assert!(count(&code, spirv::Op::Name) > 0, "{file} has no names, by which it is bound");
        assert!(reflect(code.words).unwrap().bindings.iter().all(|binding| !binding.name.is_empty()), "{file}");
    }
}
