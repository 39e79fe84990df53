//! Cuts on the device: passes over the constraints, the hinges and the triangles, before the step in which a cut falls.
//!
//! Nothing is rebuilt. A constraint that is cut joins a particle to itself, has no length and does nothing, as the edge of a
//! hinge does, and a triangle that is cut has one corner and no area; so batches stay as they are, and free of races.

use super::list_pass::{List, ListPass};
use super::{Severed, Step, Triangles};
use crate::engine::{self, Bindings, Buffer, Device, Kernel, Recorder};
use crate::layout::{Constraint, Hinge};
use crate::model::{Blade, Cut, triangles_around};
use crate::shaders;

/// When a cloth is cut: the cuts of its scene and those that are made while it runs.
pub(super) struct Schedule {
    cuts: Vec<Cut>,
    /// Blades that cut before the next step.
    pending: Vec<Blade>,
}

impl Schedule {
    pub(super) fn new(cuts: &[Cut]) -> Self {
        Self { cuts: cuts.to_vec(), pending: Vec::new() }
    }

    /// Cuts before the next step.
    pub(super) fn cut(&mut self, blade: Blade) {
        self.pending.push(blade);
    }

    /// What the scene has cut before the step that starts at `time` \[s\].
    pub(super) fn due(&self, time: f64, step: &Step) -> Vec<Blade> {
        let end = time + f64::from(step.dt);
        let due = self.cuts.iter().filter(|cut| !is_before(cut.time, time) && is_before(cut.time, end));
        due.map(|cut| cut.blade).collect()
    }

    /// The blades that cut before the next step.
    pub(super) fn pending(&self) -> &[Blade] {
        &self.pending
    }

    /// Takes the blades that cut before the next step.
    pub(super) fn take_pending(&mut self) -> Vec<Blade> {
        std::mem::take(&mut self.pending)
    }

    /// Has these blades, and no others, cut before the next step.
    pub(super) fn set_pending(&mut self, blades: &[Blade]) {
        self.pending = blades.to_vec();
    }
}

/// What cuts a cloth on the device.
pub(super) struct Cutter {
    pub(super) schedule: Schedule,
    has_cut: bool,
    /// Since the last call of [`Cutter::take_cuts`].
    has_cut_lately: bool,
    particle_count: usize,
    constraints: Whole<Constraint>,
    /// None where there are none.
    hinges: Option<Whole<Hinge>>,
    /// Of the triangles, where there are any.
    lists: Vec<Whole<u32>>,
    /// Over constraints, hinges and triangles, each with how many there are.
    passes: Vec<(ListPass, u32)>,
    /// Over the lists around particles, of which each lies anywhere in their buffer.
    around: Option<Bindings<Kernel>>,
}

/// A buffer that cuts change, and what it held before.
struct Whole<T> {
    buffer: Buffer,
    content: Vec<T>,
}

impl<T: bytemuck::Pod> Whole<T> {
    fn read(buffer: &Buffer) -> engine::Result<Self> {
        Ok(Self { buffer: buffer.clone(), content: buffer.read()? })
    }
}

impl Cutter {
    /// Prepares to cut particles at `positions`, shape \[particle_count\], in `constraints`, `hinges` and `triangles`, which
    /// are whole, and waits for the device.
    ///
    /// # Errors
    /// [`engine::Error::OverLimit`] where the lists of triangles around particles are more than one binding takes, or what else
    /// the engine reports.
    pub(super) fn new(
        device: &Device,
        positions: &Buffer,
        constraints: &Buffer,
        hinges: Option<&Buffer>,
        triangles: Option<&Triangles>,
        cuts: &[Cut],
    ) -> engine::Result<Self> {
        let positions_bound = ("Positions", positions.into());
        let pass = |shader, list: List<'_>, count| {
            engine::Result::Ok((ListPass::new(device, shader, count, &[positions_bound], &[list])?, count))
        };
        let whole = Whole::read(constraints)?;
        let list = List::of::<Constraint>("Constraints", constraints);
        let mut passes = vec![pass(&shaders::CUT_CONSTRAINTS, list, whole.content.len() as u32)?];
        let whole_hinges: Option<Whole<Hinge>> = hinges.map(Whole::read).transpose()?;
        if let Some(Whole { buffer, content }) = &whole_hinges {
            let list = List::of::<Hinge>("Hinges", buffer);
            passes.push(pass(&shaders::CUT_HINGES, list, content.len() as u32)?);
        }
        let (mut lists, mut around_pass) = (Vec::new(), None);
        let particle_count = positions.size() as usize / size_of::<glam::Vec4>();
        if let Some(Triangles { corners, around, count }) = triangles {
            passes.push(pass(&shaders::CUT_TRIANGLES, List::of::<[u32; 3]>("Triangles", corners), *count)?);
            let resources = [positions_bound, ("ParticleTriangles", around.into())];
            around_pass = Some(Kernel::new(device, &shaders::CUT_AROUND)?.bind(&resources)?);
            lists = vec![Whole::read(corners)?, Whole::read(around)?];
        }
        Ok(Self {
            schedule: Schedule::new(cuts),
            has_cut: false,
            has_cut_lately: false,
            particle_count,
            constraints: whole,
            hinges: whole_hinges,
            lists,
            passes,
            around: around_pass,
        })
    }

    /// The constraints before any cut. Shape \[constraint_count\].
    pub(super) fn whole_constraints(&self) -> &[Constraint] {
        &self.constraints.content
    }

    /// Records the cuts that are scheduled before the step that starts at `time` \[s\].
    pub(super) fn record_due(&mut self, recorder: &mut Recorder<'_>, time: f64, step: &Step) -> engine::Result<()> {
        self.record_blades(recorder, &self.schedule.due(time, step))
    }

    /// Records the cuts that were to fall before the next step.
    pub(super) fn record_pending(&mut self, recorder: &mut Recorder<'_>) -> engine::Result<()> {
        let blades = self.schedule.take_pending();
        self.record_blades(recorder, &blades)
    }

    fn record_blades(&mut self, recorder: &mut Recorder<'_>, blades: &[Blade]) -> engine::Result<()> {
        for blade in blades {
            (self.has_cut, self.has_cut_lately) = (true, true);
            for (pass, count) in &self.passes {
                for (bindings, elements) in pass.calls(&(0..*count)) {
                    let count = elements.len() as u32;
                    recorder.dispatch_each(bindings, &blade.push(count), count)?;
                }
            }
            if let Some(around) = &self.around {
                let count = self.particle_count as u32;
                recorder.dispatch_each(around, &blade.push(count), count)?;
            }
        }
        Ok(())
    }

    /// Whether cuts have been recorded since the last call.
    pub(super) fn take_cuts(&mut self) -> bool {
        std::mem::take(&mut self.has_cut_lately)
    }

    /// Whether anything has been cut since the last reset.
    pub(super) fn has_cut(&self) -> bool {
        self.has_cut
    }

    /// Waits for the device and says what has been cut.
    pub(super) fn severed(&self) -> engine::Result<Severed> {
        if !self.has_cut {
            return Ok(Severed::default());
        }
        let corners: Vec<u32> = self.lists.first().map_or(Ok(Vec::new()), |corners| corners.buffer.read())?;
        let constraints: Vec<Constraint> = self.constraints.buffer.read()?;
        let springs = self.constraints.content.iter().map(Constraint::particles);
        Ok(Severed::between(springs, &constraints, corners.as_chunks().0))
    }

    /// Makes the cloth whole but for what is `severed`, and waits until that is done.
    pub(super) fn sever(&mut self, severed: &Severed) -> engine::Result<()> {
        self.reset()?;
        self.has_cut = !severed.is_empty();
        let mut constraints = self.constraints.content.clone();
        let mut corners = self.lists.first().map_or_else(Vec::new, |corners| corners.content.clone());
        severed.sever(&mut constraints, corners.as_chunks_mut().0);
        self.constraints.buffer.write(&constraints)?;
        if let Some(Whole { buffer, content }) = &self.hinges {
            let mut hinges = content.clone();
            severed.sever_hinges(&mut hinges);
            buffer.write(&hinges)?;
        }
        if let [triangles, around] = &self.lists[..] {
            triangles.buffer.write(&corners)?;
            around.buffer.write(&triangles_around(self.particle_count, corners.as_chunks().0))?;
        }
        Ok(())
    }

    /// Makes the cloth whole again, and waits until that is done.
    pub(super) fn reset(&mut self) -> engine::Result<()> {
        self.schedule.set_pending(&[]);
        if std::mem::take(&mut self.has_cut) {
            self.constraints.buffer.write(&self.constraints.content)?;
            if let Some(Whole { buffer, content }) = &self.hinges {
                buffer.write(content)?;
            }
            for list in &self.lists {
                list.buffer.write(&list.content)?;
            }
        }
        Ok(())
    }

    /// Waits for the device and says which constraints are not cut, shape \[constraint_count\]; none where nothing is.
    pub(super) fn intact(&self) -> engine::Result<Option<Vec<bool>>> {
        if !self.has_cut {
            return Ok(None);
        }
        let constraints: Vec<Constraint> = self.constraints.buffer.read()?;
        Ok(Some(constraints.iter().map(|constraint| constraint.index_a != constraint.index_b).collect()))
    }
}

/// Whether a time lies before the step that starts at `start`: what lies a rounding error before it belongs to it. As the end of
/// each step is the start of the next, whatever the durations of both, each time lies in one of them.
fn is_before(time: f64, start: f64) -> bool {
    time * (1.0 + 1e-9) < start
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::solver::simulation::SimulatedTime;

    fn step(dt: f32) -> Step {
        Step { dt, substeps: 1, iterations: 1, gravity: Vec3::ZERO }
    }

    fn schedule(time: f64) -> Schedule {
        Schedule::new(&[Cut { time, blade: Blade::plane(Vec3::ZERO, Vec3::X).expect("a blade") }])
    }

    #[test]
    fn a_cut_falls_before_the_step_in_which_its_time_lies() {
        for (time, number) in [(0.0, 0), (0.249, 0), (0.25, 1), (0.26, 1), (2.0, 8)] {
            let schedule = schedule(time);
            for step_number in 0..10 {
                let due = schedule.due(f64::from(step_number) * 0.25, &step(0.25)).len();
                assert_eq!(due, usize::from(step_number == number), "{time} s in step {step_number}");
            }
        }
        // The sum is above 0.7, and both are the start of a step to rounding, however it is computed.
        for time in [0.1 + 0.2 + 0.4, 0.7] {
            for start in [7.0 * 0.1, 0.7, 0.1 + 0.2 + 0.4] {
                assert_eq!(schedule(time).due(start, &step(0.1)).len(), 1, "{time} s, in the step from {start} s");
            }
        }
    }

    /// As when a person changes the duration of steps while a cloth runs.
    #[test]
    fn each_cut_falls_once_where_steps_change_their_duration() {
        let mut times = vec![0.7, 1.0 / 3.0, 0.1 + 0.2 + 0.4, 0.1 + 0.2, 0.3, 0.6, f64::from(0.1_f32), 1.0 / 60.0];
        times.extend((0..100).map(|number| f64::from(number) * f64::from(1.0_f32 / 60.0)));
        times.extend((0..100).map(|number| f64::from(number) / 60.0));
        times.extend((0..1000).map(|number| f64::from(number) / 500.0));
        for durations in [[1.0 / 60.0, 1.0 / 90.0], [0.1, 1.0 / 60.0], [1.0 / 240.0, 0.1], [0.007, 0.3], [0.25, 0.3]] {
            for &time in &times {
                let (schedule, mut fallen, mut start) = (schedule(time), 0, 0.0);
                for dt in durations {
                    // What goes on from a state counts its steps from the state's time.
                    let mut now = SimulatedTime::from(start);
                    while now.after(&step(dt)) < start + 1.1 {
                        fallen += schedule.due(now.after(&step(dt)), &step(dt)).len();
                        now.steps += 1;
                    }
                    start = now.after(&step(dt));
                }
                assert_eq!(fallen, 1, "the cut at {time} s, in steps of {durations:?} s");
            }
        }
    }
}
