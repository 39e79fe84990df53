//! States as bytes, to the last bit, for files that are gone on from later.
//!
//! Little endian: [`MAGIC`], the version, the length of what follows, the fields of [`State`] in their order with a
//! count before each list, and a CRC-32 of all of it. So what was torn or changed is told from what is whole.

use std::io::{self, Read};

use bytemuck::Pod;
use glam::{Quat, Vec3, Vec4};

use super::{Severed, State};
use crate::model::{Blade, Fingerprint, Jump, Pins};

/// What the bytes start with.
const MAGIC: &[u8; 8] = b"TAUTSTAT";
/// What is written, and all that is read.
const VERSION: u32 = 3;
/// Of magic, version and length.
const HEADER: usize = 20;

/// Why bytes give no state.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    /// They are something else.
    #[error("it holds no state of a simulation")]
    NoState,
    /// They were written by another version of this library.
    #[error("its states are of version {found}, and this program reads version {VERSION}")]
    Version {
        /// The version that they have.
        found: u32,
    },
    /// They end early, or the checksum does not fit.
    #[error("its state is damaged: it ends early or its checksum does not fit")]
    Damaged,
    /// They could not be read.
    #[error("{0}")]
    Read(#[from] io::Error),
}

impl State {
    /// This state as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut content = Vec::new();
        put(&mut content, &[self.time]);
        put(&mut content, &[self.body]);
        for places in [&self.positions, &self.velocities, &self.previous, &self.dragged] {
            put_list(&mut content, places);
        }
        put_list(&mut content, &self.levels);
        put_list(&mut content, &self.severed.springs);
        put_list(&mut content, &self.severed.triangles);
        let pins: Vec<[u32; 2]> = self.pins.changes().map(|(particle, pinned)| [particle, pinned.into()]).collect();
        put_list(&mut content, &pins);
        let blades: Vec<[f32; Blade::NUMBERS]> = self.blades.iter().map(Blade::numbers).collect();
        put_list(&mut content, &blades);
        let frame: Vec<[Vec4; 3]> = self.frame.iter().map(numbers).collect();
        put_list(&mut content, &frame);
        sealed(&content)
    }

    /// The state that bytes hold.
    ///
    /// # Errors
    /// [`StateFileError`] where they hold none, or not all of it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateFileError> {
        Self::read_from(bytes)
    }

    /// The state that a file holds, and nothing behind it. What holds no state is not read further than its first bytes, and
    /// memory is taken for what is there, whatever the file says of its length.
    ///
    /// # Errors
    /// [`StateFileError`] where it holds none, or not all of it, or cannot be read.
    pub fn read_from(mut file: impl Read) -> Result<Self, StateFileError> {
        let mut bytes = Vec::new();
        file.by_ref().take(HEADER as u64).read_to_end(&mut bytes)?;
        let mut fields = Fields(bytes.strip_prefix(MAGIC).ok_or(StateFileError::NoState)?);
        let damaged = |_| StateFileError::Damaged;
        let version: u32 = fields.number().map_err(damaged)?;
        if version != VERSION {
            return Err(StateFileError::Version { found: version });
        }
        let length: u64 = fields.number().map_err(damaged)?;
        // With the checksum, and a byte that shows whether there is more.
        file.take(length.saturating_add(5)).read_to_end(&mut bytes)?;
        let Some((bytes, checksum)) = bytes.split_last_chunk::<4>() else { return Err(StateFileError::Damaged) };
        let content = bytes.get(HEADER..).filter(|content| content.len() as u64 == length);
        let content = content.filter(|_| crc32fast::hash(bytes) == u32::from_le_bytes(*checksum));
        let mut fields = Fields(content.ok_or(StateFileError::Damaged)?);
        let state = read(&mut fields).map_err(damaged)?;
        if fields.0.is_empty() { Ok(state) } else { Err(StateFileError::Damaged) }
    }

    /// Whether these are the first bytes of a state, of any version.
    #[must_use]
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }
}

/// `content` between what comes before it and its checksum.
fn sealed(content: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    put(&mut bytes, &[VERSION]);
    put(&mut bytes, &[content.len() as u64]);
    bytes.extend(content);
    let checksum = crc32fast::hash(&bytes);
    put(&mut bytes, &[checksum]);
    bytes
}

fn read(fields: &mut Fields<'_>) -> io::Result<State> {
    let time = fields.number()?;
    let body: Fingerprint = fields.number()?;
    let [positions, velocities, previous, dragged]: [Vec<Vec3>; 4] =
        [fields.list()?, fields.list()?, fields.list()?, fields.list()?];
    let levels = fields.list()?;
    let severed = Severed { springs: fields.list()?, triangles: fields.list()? };
    let pins: Vec<[u32; 2]> = fields.list()?;
    let pins = Pins::of_changes(pins.into_iter().map(|[particle, pinned]| (particle, pinned != 0)));
    let blades: Vec<[f32; Blade::NUMBERS]> = fields.list()?;
    let blades = blades.into_iter().map(Blade::of_numbers).collect();
    let frame: Vec<[Vec4; 3]> = fields.list()?;
    if frame.len() > 1 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let frame = frame.first().map(jump);
    Ok(State { time, body, positions, velocities, previous, levels, severed, pins, dragged, blades, frame })
}

/// What a jump is, in numbers.
fn numbers(jump: &Jump) -> [Vec4; 3] {
    [jump.from.extend(0.0), jump.to.extend(0.0), jump.rotation.into()]
}

/// The jump that [`numbers`] tells of.
fn jump([from, to, rotation]: &[Vec4; 3]) -> Jump {
    Jump { from: from.truncate(), to: to.truncate(), rotation: Quat::from_vec4(*rotation) }
}

/// Appends numbers. All machines that run this are little endian, as [`crate::layout`] needs it too.
pub(super) fn put<T: Pod>(bytes: &mut Vec<u8>, numbers: &[T]) {
    bytes.extend_from_slice(bytemuck::cast_slice(numbers));
}

fn put_list<T: Pod>(bytes: &mut Vec<u8>, list: &[T]) {
    put(bytes, &[list.len() as u64]);
    put(bytes, list);
}

/// What has not been read yet.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl Fields<'_> {
    pub(super) fn number<T: Pod>(&mut self) -> io::Result<T> {
        let bytes = self.0.split_off(..size_of::<T>()).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(bytemuck::pod_read_unaligned(bytes))
    }

    fn list<T: Pod>(&mut self) -> io::Result<Vec<T>> {
        let count: u64 = self.number()?;
        let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(size_of::<T>()));
        let bytes = size.and_then(|size| self.0.split_off(..size)).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let blade = Blade::seen(Vec3::X, Vec3::new(0.1, 0.0, -1.0), Vec3::new(0.5, 0.3, -2.0)).expect("a blade");
        State {
            time: 0.1 + 0.2,
            body: Fingerprint { shape: 3, places: u64::MAX },
            positions: vec![Vec3::new(0.1, -0.0, f32::MIN_POSITIVE / 2.0), Vec3::splat(1e30)],
            velocities: vec![Vec3::NEG_X, Vec3::ZERO],
            previous: vec![Vec3::Y, Vec3::Z],
            levels: vec![3, 0, 1],
            severed: Severed { springs: vec![[0, 1]], triangles: vec![4, 9] },
            pins: Pins::of_changes([(1, true), (0, false)]),
            dragged: vec![Vec3::ONE],
            blades: vec![blade],
            frame: Some(Jump { from: Vec3::X, to: Vec3::splat(-0.3), rotation: Quat::from_rotation_y(0.7) }),
        }
    }

    #[test]
    fn a_state_comes_back_to_the_bit() {
        for state in [state(), State::default()] {
            let bytes = state.to_bytes();
            let read = State::from_bytes(&bytes).expect("a state");
            assert_eq!(read, state);
            // Equal floats may differ in the sign of a zero.
            assert_eq!(read.to_bytes(), bytes);
        }
    }

    #[test]
    fn what_is_torn_or_changed_is_no_state() {
        let bytes = state().to_bytes();
        for length in 0..bytes.len() {
            assert!(State::from_bytes(&bytes[..length]).is_err(), "{length} bytes of {}", bytes.len());
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            assert!(State::from_bytes(&changed).is_err(), "a bit of byte {place}");
        }
        assert!(State::from_bytes(&[bytes.clone(), vec![0]].concat()).is_err());
        let mut earlier = bytes;
        earlier[8] = 1;
        let error = State::from_bytes(&earlier).expect_err("another version").to_string();
        assert_eq!(error, "its states are of version 1, and this program reads version 3");
        assert!(matches!(State::from_bytes(b"v 0 0 0"), Err(StateFileError::NoState)));
    }

    /// A checksum tells what was damaged, and not what was made up.
    #[test]
    fn counts_that_lie_are_damage_and_take_no_memory() {
        let bytes = state().to_bytes();
        let content = &bytes[HEADER..bytes.len() - 4];
        assert_eq!(sealed(content), bytes);
        for length in 0..content.len() {
            assert!(matches!(State::from_bytes(&sealed(&content[..length])), Err(StateFileError::Damaged)));
        }
        assert!(matches!(State::from_bytes(&sealed(&[content, &[0]].concat())), Err(StateFileError::Damaged)));
        // The count of the positions, behind time and fingerprint.
        for count in [3, 1 << 32, u64::MAX / 12, u64::MAX / 12 + 1, u64::MAX] {
            let mut content = content.to_vec();
            content[24..32].copy_from_slice(&count.to_le_bytes());
            assert!(matches!(State::from_bytes(&sealed(&content)), Err(StateFileError::Damaged)), "{count}");
        }
        // Nor does the length of it all.
        for length in [u64::MAX, u64::MAX - 4, 1 << 40] {
            let mut bytes = bytes.clone();
            bytes[12..HEADER].copy_from_slice(&length.to_le_bytes());
            assert!(matches!(State::from_bytes(&bytes), Err(StateFileError::Damaged)), "{length}");
        }
    }

    #[test]
    fn what_holds_no_state_is_read_no_further_than_its_first_bytes() {
        // Without an end, as some devices are.
        assert!(matches!(State::read_from(io::repeat(0)), Err(StateFileError::NoState)));
        let bytes = state().to_bytes();
        assert!(matches!(State::read_from(bytes.chain(io::repeat(0))), Err(StateFileError::Damaged)));
        assert!(State::begins(&bytes[..MAGIC.len()]) && !State::begins(b"TAUT"));
    }
}
