//! Caches that are played back over the body of a scene, instead of simulating it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::SceneError;
use super::{Scene, SolverKind};
use crate::io::cache::CacheReader;
use crate::model::Body;
use crate::solver::{CpuSimulation, Step};

/// The rate of a cache that says none, where a person says none either.
const FRAMES_PER_SECOND: f64 = 24.0;

/// A cache that a scene plays back; each of its steps is a frame, and after the last frame comes the first again.
#[derive(Clone, Debug)]
pub struct Playback {
    path: PathBuf,
    frame_count: u32,
    frames_per_second: f64,
    /// Why a frame could not be read, until it is taken.
    failure: Arc<Mutex<Option<String>>>,
}

impl PartialEq for Playback {
    /// Whether both play the same.
    fn eq(&self, other: &Self) -> bool {
        let what = |playback: &Self| (playback.path.clone(), playback.frame_count, playback.frames_per_second);
        what(self) == what(other)
    }
}

impl Playback {
    /// A cache at the rate of `frames_per_second`, or else at its own, or else at 24 Hz.
    ///
    /// # Errors
    /// Where it cannot be read, or the rate is not from 0.1 to 1000.
    pub fn open(path: &Path, frames_per_second: Option<f64>) -> Result<Self, SceneError> {
        let reader = CacheReader::open(path)?;
        let frames_per_second = frames_per_second.or(reader.frames_per_second()).unwrap_or(FRAMES_PER_SECOND);
        if !(0.1..=1000.0).contains(&frames_per_second) {
            let problem = format!("has {frames_per_second} frames a second; give a rate from 0.1 to 1000");
            return Err(SceneError::File { path: path.into(), problem });
        }
        Ok(Self { path: path.into(), frame_count: reader.frame_count(), frames_per_second, failure: Arc::default() })
    }

    /// How many frames there are.
    #[must_use]
    pub fn frame_count(&self) -> u32 {
        self.frame_count
    }

    /// Which frame is shown after so much simulated time \[s\].
    #[must_use]
    pub fn frame_at(&self, time: f64) -> u32 {
        ((time * self.frames_per_second).round() as u64 % u64::from(self.frame_count)) as u32
    }

    /// When a frame is shown for the first time \[s\].
    #[must_use]
    pub fn time_of(&self, frame: u32) -> f64 {
        f64::from(frame) * f64::from(self.dt())
    }

    /// Why a frame could not be read since this was last asked, where one could not: it was shown as the one before.
    #[must_use]
    pub fn take_failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// From each frame to the next \[s\].
    fn dt(&self) -> f32 {
        (1.0 / self.frames_per_second) as f32
    }
}

impl Scene {
    /// The body of this scene, moved by a cache. A frame that cannot be read any more is as the one before, and
    /// [`Playback::take_failure`] says why.
    pub(super) fn played_back(&self, playback: &Playback) -> Result<CpuSimulation, SceneError> {
        let mut reader = CacheReader::open(&playback.path)?;
        let body = match self.solver {
            SolverKind::Rope => Body::Ropes(self.ropes()?),
            _ => Body::Cloth(self.cloth()?),
        };
        let shape = self.baked_shape(&body)?;
        let (found, expected) = (reader.point_count() as usize, shape.point_count());
        if found != expected {
            let problem = format!(
                "has {found} points, and what it is played over has {expected} vertices; give the cache of the same \
                 mesh"
            );
            return Err(SceneError::File { path: playback.path.clone(), problem });
        }
        let step = Step { dt: playback.dt(), substeps: 1, iterations: 1, gravity: self.gravity };
        let playback = playback.clone();
        let frames = move |time: f64, particles: &mut [glam::Vec4]| {
            let frame = playback.frame_at(time).min(reader.frame_count() - 1);
            match reader.read(frame) {
                Ok(points) => shape.put_places(&points, particles),
                Err(error) => {
                    let mut failure = playback.failure.lock().unwrap_or_else(PoisonError::into_inner);
                    failure.get_or_insert(error.to_string());
                }
            }
        };
        Ok(CpuSimulation::played_back(body, &self.colliders()?, step, Box::new(frames)))
    }
}
