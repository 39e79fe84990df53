//! Whether the compiled shaders carry the GLSL that captures show.

use std::fs;
use std::path::Path;

use tautline::engine::ShaderCode;
use tautline::engine::reflect::reflect;
use tautline::shaders;

/// How many instructions of a kind there are, by the first words of each: its length above its code.
fn count(code: &ShaderCode<'_>, op: spirv::Op) -> usize {
    let (mut place, mut count) = (5, 0);
    while let Some(word) = code.words.get(place) {
        count += usize::from(word & 0xffff == op as u32);
        place += (word >> 16) as usize;
    }
    count
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
