use std::cell::Cell;

use gltf::json;
use json::accessor::{ComponentType, Type};
use json::validation::Checked;

use super::super::error::Fault;
use super::buffer::Buffers;
use super::item;

/// The index of an accessor.
pub(super) type Index = json::Index<json::Accessor>;

/// The accessors of a file, none of which is trusted.
pub(super) struct Accessors<'a> {
    root: &'a json::Root,
    buffers: Buffers<'a>,
    /// How many numbers the mesh may have, and how many of them are left.
    most: usize,
    left: Cell<usize>,
}

/// The name of an accessor in messages.
pub(super) fn name(index: Index) -> String {
    format!("accessor {}", index.value())
}

impl<'a> Accessors<'a> {
    pub(super) fn new(root: &'a json::Root, buffers: Buffers<'a>, most: usize) -> Self {
        Self { root, buffers, most, left: Cell::new(most) }
    }

    /// Number of elements, and what one is.
    pub(super) fn shape(&self, index: Index, asked_by: &str) -> Result<(usize, Type), Fault> {
        let accessor = item(&self.root.accessors, index, "accessor", asked_by)?;
        let Checked::Valid(kind) = accessor.type_ else {
            return Err(Fault::at(name(index), "its `type` is none; give one such as \"VEC3\""));
        };
        let count = usize::try_from(accessor.count.0).unwrap_or(usize::MAX);
        Ok((count, kind))
    }

    /// The numbers of all elements one after another, those that are normalized from 0 or -1 to 1.
    pub(super) fn numbers(&self, index: Index, asked_by: &str) -> Result<Vec<f32>, Fault> {
        let accessor = item(&self.root.accessors, index, "accessor", asked_by)?;
        let normalized = accessor.normalized;
        self.components(index, asked_by, |kind, bytes| number(kind, normalized, bytes))
    }

    /// The numbers of vertices.
    pub(super) fn indices(&self, index: Index, asked_by: &str) -> Result<Vec<u32>, Fault> {
        let (_, kind) = self.shape(index, asked_by)?;
        let accessor = item(&self.root.accessors, index, "accessor", asked_by)?;
        let is_unsigned = matches!(
            accessor.component_type,
            Checked::Valid(json::accessor::GenericComponentType(
                ComponentType::U8 | ComponentType::U16 | ComponentType::U32
            ))
        );
        if kind != Type::Scalar || !is_unsigned {
            let problem = "its elements are no indices; give it the `type` \"SCALAR\" and unsigned integers";
            return Err(Fault::at(name(index), problem));
        }
        self.components(index, asked_by, whole)
    }

    /// Counts numbers that are made up, too: those of vertices that lack what others have.
    pub(super) fn spend(&self, count: usize, place: &str) -> Result<(), Fault> {
        let left = self.left.get().checked_sub(count).ok_or_else(|| {
            let problem = format!("with it the mesh has more than {} numbers; give a smaller one", self.most);
            Fault::at(place, problem)
        })?;
        self.left.set(left);
        Ok(())
    }

    fn components<T: Copy + Default>(
        &self,
        index: Index,
        asked_by: &str,
        convert: impl Fn(ComponentType, &[u8]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let (count, kind) = self.shape(index, asked_by)?;
        let accessor = item(&self.root.accessors, index, "accessor", asked_by)?;
        let place = name(index);
        let Checked::Valid(json::accessor::GenericComponentType(component)) = accessor.component_type else {
            return Err(Fault::at(place, "its `componentType` is none; give one such as 5126, for numbers of 32 bits"));
        };
        let (width, size) = (kind.multiplicity(), component.size());
        self.spend(count.saturating_mul(width), &place)?;
        let element = |bytes: &[u8], at: usize, values: &mut [T]| {
            for (value, bytes) in values.iter_mut().zip(bytes[at..].chunks_exact(size)) {
                *value = convert(component, bytes);
            }
        };
        let base = match accessor.buffer_view {
            Some(view) => {
                let offset = accessor.byte_offset.unwrap_or_default().0;
                Some(self.strided(view, offset, count, width * size, &place)?)
            }
            None if accessor.sparse.is_some() => None,
            None => {
                return Err(Fault::at(place, "it has no data; give it a `bufferView`, or values that are `sparse`"));
            }
        };
        // Memory is taken for what is there: all of it lies in a buffer, or is counted above.
        let mut values = vec![T::default(); count * width];
        if let Some((bytes, stride)) = base {
            values.chunks_exact_mut(width).enumerate().for_each(|(at, values)| element(bytes, at * stride, values));
        }
        if let Some(sparse) = &accessor.sparse {
            let Checked::Valid(json::accessor::IndexComponentType(index_type)) = sparse.indices.component_type else {
                return Err(Fault::at(place, "its sparse indices have no `componentType`; give 5121, 5123 or 5125"));
            };
            let sparse_count = usize::try_from(sparse.count.0).unwrap_or(usize::MAX);
            let of = |view, offset: u64, size| self.strided(view, offset, sparse_count, size, &place);
            let (places, apart) = of(sparse.indices.buffer_view, sparse.indices.byte_offset.0, index_type.size())?;
            let (changes, stride) = of(sparse.values.buffer_view, sparse.values.byte_offset.0, width * size)?;
            for change in 0..sparse_count {
                let at = whole(index_type, &places[change * apart..][..index_type.size()]) as usize;
                let values = values.get_mut(at.saturating_mul(width)..).and_then(|values| values.get_mut(..width));
                let values = values.ok_or_else(|| {
                    Fault::at(
                        &place,
                        format!("its sparse index {change} is {at}, but it has {count} elements, numbered from 0"),
                    )
                })?;
                element(changes, change * stride, values);
            }
        }
        Ok(values)
    }

    /// The bytes of `count` elements of `size` bytes in a view, and how far they are apart.
    fn strided(
        &self,
        view: json::Index<json::buffer::View>,
        offset: u64,
        count: usize,
        size: usize,
        place: &str,
    ) -> Result<(&[u8], usize), Fault> {
        let (bytes, stride) = self.buffers.view(view, place)?;
        let stride = stride.unwrap_or(size);
        if stride < size {
            let problem =
                format!("its elements have {size} bytes, but lie {stride} apart in buffer view {}", view.value());
            return Err(Fault::at(place, problem));
        }
        let end = match count {
            0 => offset,
            _ => (stride as u64).saturating_mul(count as u64 - 1).saturating_add(offset).saturating_add(size as u64),
        };
        if end > bytes.len() as u64 {
            let problem = format!(
                "its {count} elements end at byte {end} of buffer view {}, which has {}",
                view.value(),
                bytes.len()
            );
            return Err(Fault::at(place, problem));
        }
        Ok((&bytes[offset as usize..], stride))
    }
}

fn number(kind: ComponentType, normalized: bool, bytes: &[u8]) -> f32 {
    match (kind, bytes) {
        (ComponentType::I8, &[a]) if normalized => (f32::from(a as i8) / 127.0).max(-1.0),
        (ComponentType::U8, &[a]) if normalized => f32::from(a) / 255.0,
        (ComponentType::I16, &[a, b]) if normalized => (f32::from(i16::from_le_bytes([a, b])) / 32_767.0).max(-1.0),
        (ComponentType::U16, &[a, b]) if normalized => f32::from(u16::from_le_bytes([a, b])) / 65_535.0,
        (ComponentType::I8, &[a]) => f32::from(a as i8),
        (ComponentType::I16, &[a, b]) => f32::from(i16::from_le_bytes([a, b])),
        (ComponentType::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        _ => whole(kind, bytes) as f32,
    }
}

fn whole(kind: ComponentType, bytes: &[u8]) -> u32 {
    match (kind, bytes) {
        (ComponentType::U8, &[a]) => u32::from(a),
        (ComponentType::U16, &[a, b]) => u32::from(u16::from_le_bytes([a, b])),
        (ComponentType::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}
