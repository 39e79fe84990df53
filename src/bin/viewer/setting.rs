//! Parameters of scenes on command lines.

/// What `KEY=VALUE` says, to be checked by the scene.
pub fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("it has to be KEY=VALUE, as in substeps=20")?;
    if key.trim().is_empty() || value.trim().is_empty() {
        return Err("both KEY and VALUE are needed, as in substeps=20".into());
    }
    Ok((key.trim().to_string(), value.trim().to_string()))
}
