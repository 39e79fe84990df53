//! Programs that are called for help.

/// Whether a program of that name is on the path.
pub fn is_on_path(program: &str) -> bool {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(&name).is_file()))
}
