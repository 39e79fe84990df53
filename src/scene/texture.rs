//! The values `texture` and `checker`: what is printed on a cloth.

use std::path::{Path, PathBuf};

use super::error::SceneError;
use super::file::has_extension;
use super::values::Value;
use super::{Scene, SolverKind};
use crate::model::{Cloth, Pattern};

/// The path of a PNG image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePath(pub PathBuf);

impl Value for Option<ImagePath> {
    fn expected() -> String {
        "the path of a PNG image (.png)".into()
    }

    fn read(value: &toml::Value) -> Option<Self> {
        let path = Path::new(value.as_str()?);
        has_extension(path, "png").then(|| Some(ImagePath(path.into())))
    }

    fn write(&self) -> Option<toml::Value> {
        self.as_ref().map(|ImagePath(path)| path.display().to_string().into())
    }
}

impl Scene {
    /// Fails where there are two patterns, or nothing that one could be printed on.
    pub(super) fn check_pattern(&self) -> Result<(), SceneError> {
        let Some((key, found)) = self.pattern_key() else {
            return Ok(());
        };
        if self.solver == SolverKind::Rope {
            let expected = "left out with `rope`, as only cloth is printed on".into();
            return Err(self.wrong(key.into(), expected, found));
        }
        if self.texture.is_some() && self.checker > 0 {
            let expected = "0 where `texture` is set, as a cloth shows one of them".into();
            return Err(self.wrong("checker".into(), expected, self.checker.to_string()));
        }
        Ok(())
    }

    /// The key that says what is printed, and its value; none where nothing is.
    fn pattern_key(&self) -> Option<(&'static str, String)> {
        match &self.texture {
            Some(ImagePath(path)) => Some(("texture", path.display().to_string())),
            None => (self.checker > 0).then(|| ("checker", self.checker.to_string())),
        }
    }

    /// Prints what the scene says on its cloth.
    pub(super) fn print_on(&self, cloth: &mut Cloth) -> Result<(), SceneError> {
        cloth.pattern = match &self.texture {
            Some(ImagePath(path)) => Pattern::Image(self.files.texture(path)?),
            None if self.checker > 0 => Pattern::Checker(self.checker),
            None => return Ok(()),
        };
        if let Some((key, found)) = self.pattern_key()
            && cloth.grid.is_none()
            && cloth.uvs.is_none()
        {
            let mesh = self.mesh.as_deref().unwrap_or(Path::new("the mesh")).display();
            let expected =
                format!("left out, as {mesh} lacks texture coordinates (`vt`, and `f v/vt`) at corners of its faces");
            return Err(self.wrong(key.into(), expected, found));
        }
        Ok(())
    }
}
