//! Shaders that take the place of those that a program was built with, while it runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::device::Device;
use super::error::{Error, Result};
use super::instance::lock;
use super::interface::ShaderCode;
use super::reflect::{Reflection, reflect};

/// SPIR-V by the name of its pass and the ending of its stage, such as `pbd/solve.comp`.
pub type Replacements = BTreeMap<String, Arc<[u32]>>;

impl Device {
    /// Puts these shaders, and no others, in the place of those that pipelines are made of from now on, and returns those
    /// that were there before. One that binds something else than what it replaces lets pipelines fail.
    pub fn replace_shaders(&self, replacements: Replacements) -> Replacements {
        std::mem::replace(&mut *lock(self.replacements()), replacements)
    }
}

/// The SPIR-V of a shader, or what replaces it.
pub(super) fn current<'a>(device: &Device, code: &ShaderCode<'a>, ending: &str) -> Result<Cow<'a, [u32]>> {
    let found = lock(device.replacements()).get(&format!("{}.{ending}", code.name)).cloned();
    let Some(words) = found else {
        return Ok(Cow::Borrowed(code.words));
    };
    let told = |reason: String| Error::Shader { shader: format!("{}.{ending}", code.name), reason };
    let [was, is] = [code.words, &words].map(reflect);
    if let Some(what) = difference(&was.map_err(told)?, &is.map_err(told)?) {
        return Err(told(format!("{what} otherwise than in the shader that it replaces; build the program anew")));
    }
    Ok(Cow::Owned(words.to_vec()))
}

/// What a program relies on that differs between two shaders.
fn difference(was: &Reflection, is: &Reflection) -> Option<String> {
    let bound = |reflection: &Reflection| {
        let parts = reflection.bindings.iter().map(|binding| (binding.binding, binding.name.clone(), binding.kind));
        parts.collect::<Vec<_>>()
    };
    let moved = is.structs.iter().find(|(name, layout)| was.structs.get(*name).is_some_and(|was| was != *layout));
    if bound(was) != bound(is) {
        Some("it binds".into())
    } else if let Some((name, _)) = moved {
        Some(format!("it lays {name} out"))
    } else if was.push_constant_size != is.push_constant_size {
        Some("it has push constants".into())
    } else if was.local_size != is.local_size {
        Some("it divides work into workgroups".into())
    } else {
        None
    }
}
