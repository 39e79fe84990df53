//! The walls between the rooms of the crate, which the compiler does not keep.

use std::fs;
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// What a room may name of the rest of the crate.
const MAY_USE: [(&str, &[&str]); 8] = [
    ("engine", &["engine"]),
    ("model", &["model", "layout"]),
    ("reference", &["reference", "model", "layout"]),
    ("cpu", &["cpu", "reference", "model", "layout"]),
    ("solver", &["solver", "cpu", "engine", "model", "layout", "shaders"]),
    ("io", &["io", "model"]),
    ("scene", &["scene", "solver", "io", "engine", "model", "layout"]),
    ("render", &["render", "scene", "solver", "io", "engine", "model", "layout", "shaders"]),
];

#[test]
fn rooms_use_only_what_lies_below_them() {
    for (room, allowed) in MAY_USE {
        for path in rust_files(&source().join(room)) {
            let text = fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate() {
                for used in line.split("crate::").skip(1) {
                    let name: String = used.chars().take_while(|letter| letter.is_alphanumeric()).collect();
                    let place = format!("{}:{}", path.display(), number + 1);
                    assert!(allowed.contains(&name.as_str()), "{place}: {room} uses crate::{name}");
                }
            }
        }
    }
}

#[test]
fn unsafe_code_is_in_the_engine_only() {
    // The word as a keyword; the lints that carry it in their names are `unsafe_code` and the like.
    let unsafe_keywords = |text: &str| {
        text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).any(|word| word == "unsafe")
    };
    for path in rust_files(&source()) {
        let in_engine = path.starts_with(source().join("engine"));
        let code: String = fs::read_to_string(&path)
            .unwrap()
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .collect::<Vec<_>>()
            .join("\n");
        assert!(in_engine || !unsafe_keywords(&code), "{} holds unsafe code", path.display());
    }
}
