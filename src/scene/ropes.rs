//! What the keys `rope_...` make: the ropes of the solver `rope`.

use glam::Vec3;

use super::Scene;
use super::build::Limits;
use super::error::SceneError;
use super::path::IN_ORDER;
use crate::engine::Device;
use crate::model::{HeldEnds, RopeLayout, Ropes};
use crate::solver::{RopeDetail, RopeSettings};

/// Most iterations of the solver `rope`: they all lie in one dispatch, which a device has to finish in a moment.
const MOST_ROPE_ITERATIONS: u32 = 64;

/// Most rounds over the links of a rope in a step, for the same reason.
const MOST_ROPE_ROUNDS: u32 = 20_000;

impl Scene {
    /// The ropes as they start.
    ///
    /// # Errors
    /// As [`Scene::validate`].
    pub fn ropes(&self) -> Result<Ropes, SceneError> {
        self.validate()?;
        let layout = RopeLayout {
            count: self.rope_count as usize,
            columns: self.rope_columns as usize,
            particles: self.rope_particles as usize,
            length: self.rope_length,
            span: self.rope_span,
            spacing: self.rope_spacing,
            held: self.rope_held,
            release: self.rope_release.map(f64::from),
            motion: self.rope_motion.iter().map(|&[time, x, y, z]| (time, offset([x, y, z]))).collect(),
        };
        Ok(layout.ropes()?.with_radius(self.rope_radius))
    }

    /// Settings of the `rope` solver.
    #[must_use]
    pub fn rope_settings(&self) -> RopeSettings {
        let detail = RopeDetail {
            distances: self.rope_lod_distances.to_array(),
            hysteresis: self.rope_lod_hysteresis,
            blend_time: self.rope_lod_blend,
            sway_angle: self.rope_lod_sway.to_radians(),
        };
        RopeSettings {
            velocity_loss: self.velocity_loss,
            external_acceleration: self.external_acceleration,
            detail: self.rope_lod.then_some(detail),
            path: self.path,
        }
    }

    /// Checks whether the keys of ropes go together, where the solver moves ropes.
    pub(super) fn validate_ropes(&self) -> Result<(), SceneError> {
        let wrong = |key: &str, expected: String, found: String| Err(self.wrong(key.into(), expected, found));
        if !self.pin.is_empty() {
            let expected = "left out with `rope`, whose ends are held and moved by `rope_held` and `rope_motion`";
            return wrong("pin", expected.into(), "given".into());
        }
        if self.air_density > 0.0 {
            let expected = "0 with `rope`, as ropes have no triangles for the air to blow on";
            return wrong("air_density", expected.into(), self.air_density.to_string());
        }
        if self.iterations > MOST_ROPE_ITERATIONS {
            let expected = format!("at most {MOST_ROPE_ITERATIONS} where `solver` is \"rope\"");
            return wrong("iterations", expected, self.iterations.to_string());
        }
        let most = MOST_ROPE_ROUNDS / self.iterations;
        if self.substeps > most {
            let expected = format!("at most {most} where `solver` is \"rope\" and `iterations` is {}", self.iterations);
            return wrong("substeps", expected, self.substeps.to_string());
        }
        if self.rope_held == HeldEnds::Both && self.rope_span > self.rope_length {
            let expected = format!("at most `rope_length`, {} m, where both ends are held", self.rope_length);
            return wrong("rope_span", expected, self.rope_span.to_string());
        }
        let motion = &self.rope_motion;
        let is_in_order = motion.windows(2).all(|pair| pair[0][0] <= pair[1][0])
            && motion.windows(3).all(|three| three[0][0] < three[2][0]);
        if !is_in_order || motion.iter().flatten().any(|number| number.is_nan() || number.abs() > 1e9) {
            let expected = format!("keyframes [time, x, y, z] in s and m, finite and {IN_ORDER}");
            return wrong("rope_motion", expected, format!("{motion:?}"));
        }
        let [near, middle, far] = self.rope_lod_distances.to_array();
        if near > middle || middle > far {
            let expected = "three distances in ascending order".into();
            return wrong("rope_lod_distances", expected, format!("{:?}", [near, middle, far]));
        }
        Ok(())
    }

    /// The ropes, where the device can bind their state.
    pub(super) fn fitting_ropes(&self, limits: Limits) -> Result<Ropes, SceneError> {
        let particles = u64::from(self.rope_count) * u64::from(self.rope_particles);
        let state = format!("the state of {particles} particles of ropes");
        let limit = ("maxStorageBufferRange", u64::from(limits.storage_buffer_range));
        // Seven planes of floats.
        Device::check_limit(&state, 28 * particles, "bytes", limit)?;
        self.ropes()
    }
}

fn offset(place: [f64; 3]) -> Vec3 {
    Vec3::from_array(place.map(|coordinate| coordinate as f32))
}
