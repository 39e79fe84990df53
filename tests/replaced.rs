//! Shaders that take the place of those that a program was built with.

mod common;

use std::sync::Arc;

use common::Validated;
use tautline::engine::{Buffer, Device, Frames, Kernel, Replacements, ShaderCode};

fn compile(body: &str, more: &str) -> Vec<u32> {
    let glsl = format!(
        "#version 450
        layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer Numbers {{ float numbers[]; }};
        {more}
        void main() {{ numbers[gl_GlobalInvocationID.x] {body}; }}"
    );
    let compiler = shaderc::Compiler::new().unwrap();
    let kind = shaderc::ShaderKind::Compute;
    compiler.compile_into_spirv(&glsl, kind, "numbers.comp", "main", None).unwrap().as_binary().to_vec()
}

fn replacing(words: Vec<u32>) -> Replacements {
    Replacements::from([("numbers.comp".to_string(), Arc::from(words))])
}

/// What a kernel makes of 64 times 3.
fn result(device: &Device, kernel: &Kernel) -> Vec<f32> {
    let numbers = Buffer::from_slice(device, "numbers", &[3.0_f32; 64]).unwrap();
    let bindings = kernel.bind(&[("Numbers", (&numbers).into())]).unwrap();
    Frames::run_once(device, |recorder| recorder.dispatch(&bindings, &(), [64, 1, 1])).unwrap();
    numbers.read().unwrap()
}

#[test]
fn a_replaced_shader_runs_in_pipelines_that_are_made_from_then_on() {
    let validated = Validated::open();
    let device = &validated.device;
    let doubled = compile("*= 2.0", "");
    let kernel = || Kernel::new(device, &ShaderCode { name: "numbers", words: &doubled });
    let before = kernel().unwrap();
    assert!(device.replace_shaders(replacing(compile("+= 4.0", ""))).is_empty());
    assert_eq!(result(device, &kernel().unwrap()), [7.0; 64]);
    assert_eq!(result(device, &before), [6.0; 64]);

    for (what, more) in [
        ("it binds", "layout(std430, binding = 1) buffer More { float more[]; };"),
        ("it has push constants", "layout(push_constant) uniform Push { float factor; };"),
    ] {
        let last = device.replace_shaders(replacing(compile("*= 2.0", more)));
        assert!(last.contains_key("numbers.comp"));
        let told = kernel().err().unwrap().to_string();
        assert!(told.contains("numbers.comp") && told.contains(what) && told.contains("build"), "{told}");
    }
    device.replace_shaders(Replacements::new());
    assert_eq!(result(device, &kernel().unwrap()), [6.0; 64]);
}
