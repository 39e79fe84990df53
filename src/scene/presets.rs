//! The scenes that come with the crate, each a scene file whose first line says what it shows.

/// Name and text of each.
const PRESETS: [(&str, &str); 7] = [
    ("verlet", include_str!("presets/verlet.toml")),
    ("curtain", include_str!("presets/curtain.toml")),
    ("flag", include_str!("presets/flag.toml")),
    ("cut", include_str!("presets/cut.toml")),
    ("drape", include_str!("presets/drape.toml")),
    ("ropes", include_str!("presets/ropes.toml")),
    ("mesh", include_str!("presets/mesh.toml")),
];

/// Name of each preset, and what it shows in a line.
pub fn presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRESETS.into_iter().map(|(name, text)| (name, text.lines().next().unwrap_or_default().trim_start_matches("# ")))
}

/// The text of a preset.
pub(super) fn preset_text(name: &str) -> Option<&'static str> {
    PRESETS.into_iter().find_map(|(preset, text)| (preset == name).then_some(text))
}

/// The names, for a sentence.
pub(super) fn names() -> String {
    PRESETS.map(|(name, _)| name).join(", ")
}
