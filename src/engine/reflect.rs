//! Reads out of SPIR-V what a shader binds and how it accesses it.
//!
//! The shader's own `readonly` and `writeonly` are the only declaration of access in this engine: barriers are derived
//! from them. `build.rs` includes this file too, to check struct layouts when the crate is compiled.
//! Source: SPIR-V specification 1.6, section 3.49 (instructions) and 3.20 (decorations).

use std::collections::{BTreeMap, HashMap, HashSet};

/// How a shader accesses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Declared `readonly`, or a uniform block or sampled image.
    Read,
    /// Declared `writeonly`.
    Write,
    /// Neither.
    ReadWrite,
}

/// Which kind of resource a binding takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// `buffer` block.
    StorageBuffer,
    /// `uniform` block.
    UniformBuffer,
    /// `image2D` and the like.
    StorageImage,
    /// `sampler2D` and the like.
    SampledImage,
}

/// One resource that a shader binds, in descriptor set 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Binding number.
    pub binding: u32,
    /// Name of the block for buffers, of the variable for images.
    pub name: String,
    /// Kind of resource.
    pub kind: BindingKind,
    /// How the shader accesses it.
    pub access: Access,
}

/// A struct or block as SPIR-V lays it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructLayout {
    /// Bytes from one element of an array to the next, or the size of a block.
    pub size: u32,
    /// Offset of each member \[bytes\], by name.
    pub members: Vec<(String, u32)>,
}

/// What a shader module declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reflection {
    /// Resources by binding number.
    pub bindings: Vec<Binding>,
    /// Size of the push constant block \[bytes\], 0 without one.
    pub push_constant_size: u32,
    /// Workgroup size; zeros for other stages than compute.
    pub local_size: [u32; 3],
    /// Memory that a workgroup shares \[bytes\].
    pub shared_memory: u32,
    /// Whether it relies on subgroups.
    pub uses_subgroups: bool,
    /// Stage and name of each entry point.
    pub entry_points: Vec<(spirv::ExecutionModel, String)>,
    /// Layout of every named struct with offsets, by name.
    pub structs: BTreeMap<String, StructLayout>,
}

/// The part of a SPIR-V type that layout and binding depend on.
#[derive(Clone, Debug)]
enum Type {
    Scalar { bytes: u32 },
    Vector { component: u32, count: u32 },
    Matrix { column: u32, count: u32 },
    Array { element: u32, length: u32 },
    RuntimeArray { element: u32 },
    Struct { members: Vec<u32> },
    Pointer { pointee: u32 },
    StorageImage,
    SampledImage,
    Other,
}

#[derive(Default)]
struct Module {
    names: HashMap<u32, String>,
    member_names: HashMap<(u32, u32), String>,
    types: HashMap<u32, Type>,
    constants: HashMap<u32, u32>,
    /// `constant_id` of each constant that a program may specialise.
    specialised: HashMap<u32, u32>,
    bindings: HashMap<u32, u32>,
    sets: HashMap<u32, u32>,
    array_strides: HashMap<u32, u32>,
    offsets: HashMap<(u32, u32), u32>,
    decorated: HashSet<(u32, spirv::Decoration)>,
    member_decorated: HashSet<(u32, u32, spirv::Decoration)>,
    variables: Vec<(u32, u32, spirv::StorageClass)>,
    entry_points: Vec<(spirv::ExecutionModel, String)>,
    matrix_strides: HashMap<(u32, u32), u32>,
    local_size: [u32; 3],
    /// Where the workgroup size is specialised, and from SPIR-V 1.6 on always, it is the ids of constants.
    local_size_ids: Option<[u32; 3]>,
    /// The constant whose parts are the workgroup size, in older SPIR-V.
    workgroup_size: Option<u32>,
    uses_subgroups: bool,
}

/// Reflects one SPIR-V module, whose constants are as the shader has them.
///
/// # Errors
/// A sentence that says what is malformed, or which construct the engine does not bind.
pub fn reflect(words: &[u32]) -> Result<Reflection, String> {
    reflect_specialised(words, &[])
}

/// As [`reflect`], where the constant with `constant_id = i` has the value `values[i]`: workgroups and what they share may
/// be sized by such constants.
///
/// # Errors
/// As [`reflect`], and where there is a value too many.
pub fn reflect_specialised(words: &[u32], values: &[u32]) -> Result<Reflection, String> {
    let module = Module::parse(words, values)?;
    if let Some(id) = (0..values.len() as u32).find(|id| !module.specialised.values().any(|known| known == id)) {
        return Err(format!("it has no constant with constant_id = {id}"));
    }
    let mut reflection = Reflection {
        local_size: module.local_size()?,
        uses_subgroups: module.uses_subgroups,
        entry_points: module.entry_points.clone(),
        ..Reflection::default()
    };
    for &(id, pointer_type, class) in &module.variables {
        let pointee = module.pointee(pointer_type)?;
        match class {
            spirv::StorageClass::Uniform
            | spirv::StorageClass::StorageBuffer
            | spirv::StorageClass::UniformConstant => {
                reflection.bindings.push(module.binding(id, pointee, class)?);
            }
            spirv::StorageClass::PushConstant => reflection.push_constant_size = module.size(pointee)?,
            spirv::StorageClass::Workgroup => {
                reflection.shared_memory = reflection.shared_memory.saturating_add(module.size(pointee)?)
            }
            _ => {}
        }
    }
    reflection.bindings.sort_by_key(|binding| binding.binding);
    if let Some(pair) = reflection.bindings.windows(2).find(|pair| pair[0].binding == pair[1].binding) {
        return Err(format!("'{}' and '{}' share binding {}", pair[0].name, pair[1].name, pair[0].binding));
    }
    for (&id, kind) in &module.types {
        if let Type::Struct { members } = kind
            && let Some(name) = module.names.get(&id).filter(|name| !name.is_empty())
            && module.offsets.contains_key(&(id, 0))
        {
            let layout = module.struct_layout(id, members)?;
            let known = reflection.structs.entry(name.clone()).or_insert_with(|| layout.clone());
            if *known != layout {
                return Err(format!("two structs are called {name}, and are laid out differently"));
            }
        }
    }
    Ok(reflection)
}

impl Module {
    fn parse(words: &[u32], values: &[u32]) -> Result<Self, String> {
        if words.len() < 5 || words[0] != spirv::MAGIC_NUMBER {
            return Err("it is not SPIR-V: the magic number is missing".into());
        }
        let mut module = Self::default();
        let mut last = None;
        let mut rest = &words[5..];
        while let Some(&head) = rest.first() {
            let length = (head >> 16) as usize;
            if length == 0 || length > rest.len() {
                return Err("its SPIR-V is truncated".into());
            }
            if let Some(opcode) = spirv::Op::from_u32(head & 0xffff) {
                module
                    .instruction(opcode, &rest[1..length], values)
                    .ok_or("its SPIR-V holds a truncated instruction")?;
            }
            last = spirv::Op::from_u32(head & 0xffff);
            rest = &rest[length..];
        }
        // A module ends with its functions; one cut off between two instructions would crash drivers.
        if last != Some(spirv::Op::FunctionEnd) {
            return Err("its SPIR-V is truncated: it does not end with a function".into());
        }
        Ok(module)
    }

    /// Takes in one instruction; `None` when it has fewer operands than its opcode needs.
    fn instruction(&mut self, opcode: spirv::Op, operands: &[u32], values: &[u32]) -> Option<()> {
        let at = |index: usize| operands.get(index).copied();
        match opcode {
            spirv::Op::Capability => self.uses_subgroups |= at(0)? == spirv::Capability::GroupNonUniform as u32,
            spirv::Op::Name => drop(self.names.insert(at(0)?, text(operands.get(1..)?))),
            spirv::Op::MemberName => drop(self.member_names.insert((at(0)?, at(1)?), text(operands.get(2..)?))),
            spirv::Op::Decorate => self.decorate(at(0)?, at(1)?, at(2)),
            spirv::Op::MemberDecorate => self.decorate_member((at(0)?, at(1)?), at(2)?, at(3)),
            spirv::Op::ExecutionMode if at(1)? == spirv::ExecutionMode::LocalSize as u32 => {
                self.local_size = [at(2)?, at(3)?, at(4)?];
            }
            spirv::Op::ExecutionModeId if at(1)? == spirv::ExecutionMode::LocalSizeId as u32 => {
                self.local_size_ids = Some([at(2)?, at(3)?, at(4)?]);
            }
            spirv::Op::Constant => drop(self.constants.insert(at(1)?, at(2)?)),
            spirv::Op::SpecConstant => {
                let id = at(1)?;
                let chosen = self.specialised.get(&id).and_then(|&constant_id| values.get(constant_id as usize));
                self.constants.insert(id, chosen.copied().unwrap_or(at(2)?));
            }
            spirv::Op::SpecConstantOp => {
                if let Some(value) = self.computed(spirv::Op::from_u32(at(2)?)?, operands.get(3..)?) {
                    self.constants.insert(at(1)?, value);
                }
            }
            spirv::Op::SpecConstantComposite if self.workgroup_size == at(1) => {
                self.local_size_ids = Some([at(2)?, at(3)?, at(4)?]);
            }
            spirv::Op::EntryPoint => {
                self.entry_points.push((spirv::ExecutionModel::from_u32(at(0)?)?, text(operands.get(2..)?)));
            }
            spirv::Op::Variable => self.variables.push((at(1)?, at(0)?, spirv::StorageClass::from_u32(at(2)?)?)),
            _ => {
                if let Some(kind) = parse_type(opcode, operands) {
                    self.types.insert(at(0)?, kind);
                }
            }
        }
        Some(())
    }

    /// The value of an expression of whole numbers, as shared arrays are sized by; none of other expressions.
    fn computed(&self, opcode: spirv::Op, operands: &[u32]) -> Option<u32> {
        let [a, b]: [u32; 2] = operands.try_into().ok()?;
        // A part of gl_WorkGroupSize.
        if opcode == spirv::Op::CompositeExtract && self.workgroup_size == Some(a) {
            return self.constants.get(self.local_size_ids?.get(b as usize)?).copied();
        }
        let [a, b] = [*self.constants.get(&a)?, *self.constants.get(&b)?];
        match opcode {
            spirv::Op::IAdd => a.checked_add(b),
            spirv::Op::ISub => a.checked_sub(b),
            spirv::Op::IMul => a.checked_mul(b),
            spirv::Op::UDiv => a.checked_div(b),
            _ => None,
        }
    }

    fn decorate(&mut self, id: u32, decoration: u32, value: Option<u32>) {
        match (spirv::Decoration::from_u32(decoration), value) {
            (Some(spirv::Decoration::SpecId), Some(value)) => drop(self.specialised.insert(id, value)),
            (Some(spirv::Decoration::BuiltIn), Some(value)) if value == spirv::BuiltIn::WorkgroupSize as u32 => {
                self.workgroup_size = Some(id);
            }
            (Some(spirv::Decoration::Binding), Some(value)) => drop(self.bindings.insert(id, value)),
            (Some(spirv::Decoration::DescriptorSet), Some(value)) => drop(self.sets.insert(id, value)),
            (Some(spirv::Decoration::ArrayStride), Some(value)) => drop(self.array_strides.insert(id, value)),
            (Some(other), _) => drop(self.decorated.insert((id, other))),
            (None, _) => {}
        }
    }

    fn decorate_member(&mut self, member: (u32, u32), decoration: u32, value: Option<u32>) {
        match (spirv::Decoration::from_u32(decoration), value) {
            (Some(spirv::Decoration::MatrixStride), Some(value)) => drop(self.matrix_strides.insert(member, value)),
            (Some(spirv::Decoration::Offset), Some(value)) => drop(self.offsets.insert(member, value)),
            (Some(other), _) => drop(self.member_decorated.insert((member.0, member.1, other))),
            (None, _) => {}
        }
    }

    fn local_size(&self) -> Result<[u32; 3], String> {
        let Some(ids) = self.local_size_ids else {
            return Ok(self.local_size);
        };
        let mut size = [0; 3];
        for (size, id) in size.iter_mut().zip(ids) {
            *size = *self.constants.get(&id).ok_or("its workgroup size is no constant")?;
        }
        Ok(size)
    }

    fn pointee(&self, pointer_type: u32) -> Result<u32, String> {
        match self.types.get(&pointer_type) {
            Some(Type::Pointer { pointee }) => Ok(*pointee),
            _ => Err("a variable's type is no pointer".into()),
        }
    }

    fn binding(&self, id: u32, pointee: u32, class: spirv::StorageClass) -> Result<Binding, String> {
        let variable_name = self.names.get(&id).cloned().unwrap_or_default();
        if self.sets.get(&id).is_some_and(|&set| set != 0) {
            return Err(format!("'{variable_name}' is in descriptor set {}, and only set 0 is bound", self.sets[&id]));
        }
        let binding = *self.bindings.get(&id).ok_or_else(|| format!("'{variable_name}' has no binding"))?;
        let block_name = || self.names.get(&pointee).cloned().unwrap_or_default();
        let (kind, name) = match (&self.types.get(&pointee), class) {
            (Some(Type::Struct { .. }), spirv::StorageClass::StorageBuffer) => {
                (BindingKind::StorageBuffer, block_name())
            }
            // Before SPIR-V 1.3 a storage buffer is a Uniform variable whose struct is decorated BufferBlock.
            (Some(Type::Struct { .. }), _) if self.decorated.contains(&(pointee, spirv::Decoration::BufferBlock)) => {
                (BindingKind::StorageBuffer, block_name())
            }
            (Some(Type::Struct { .. }), _) => (BindingKind::UniformBuffer, block_name()),
            (Some(Type::StorageImage), _) => (BindingKind::StorageImage, variable_name),
            (Some(Type::SampledImage), _) => (BindingKind::SampledImage, variable_name),
            _ => return Err(format!("'{variable_name}' is of a kind that the engine does not bind")),
        };
        let access = match kind {
            BindingKind::UniformBuffer | BindingKind::SampledImage => Access::Read,
            BindingKind::StorageBuffer | BindingKind::StorageImage => self.access(id, pointee),
        };
        Ok(Binding { binding, name, kind, access })
    }

    /// `readonly` on a block decorates each of its members, on an image the variable.
    fn access(&self, id: u32, pointee: u32) -> Access {
        let has = |decoration| {
            let on_members = match self.types.get(&pointee) {
                Some(Type::Struct { members }) => {
                    (0..members.len() as u32).all(|index| self.member_decorated.contains(&(pointee, index, decoration)))
                }
                _ => false,
            };
            on_members || self.decorated.contains(&(id, decoration))
        };
        match (has(spirv::Decoration::NonWritable), has(spirv::Decoration::NonReadable)) {
            (true, _) => Access::Read,
            (false, true) => Access::Write,
            (false, false) => Access::ReadWrite,
        }
    }

    fn struct_layout(&self, id: u32, members: &[u32]) -> Result<StructLayout, String> {
        // Where the struct is an array's element, the array's stride is the size that Rust has to match.
        let stride = self.types.iter().find_map(|(array, kind)| match kind {
            Type::Array { element, .. } | Type::RuntimeArray { element } if *element == id => {
                self.array_strides.get(array).copied()
            }
            _ => None,
        });
        let uniform = self.variables.iter().any(|&(_, pointer, class)| {
            class == spirv::StorageClass::Uniform && self.pointee(pointer).is_ok_and(|pointee| pointee == id)
        });
        let end = self.size(id)?;
        let size = stride.unwrap_or(if uniform { end.next_multiple_of(16) } else { end });
        let members = (0..members.len() as u32)
            .map(|index| {
                let name = self.member_names.get(&(id, index)).cloned().unwrap_or_default();
                (name, self.offsets.get(&(id, index)).copied().unwrap_or(0))
            })
            .collect();
        Ok(StructLayout { size, members })
    }

    /// Size of a type \[bytes\]; a runtime array counts as empty.
    fn size(&self, id: u32) -> Result<u32, String> {
        // Types are declared before they are used, so no type of a valid module holds itself.
        self.size_within(id, None, 16)
    }

    /// Size of a type as a struct's member has it: a matrix is as large as the member's decoration says.
    fn size_within(&self, id: u32, member: Option<(u32, u32)>, depth: u32) -> Result<u32, String> {
        let unknown = || "a bound or shared variable has a type without a size".to_string();
        let depth = depth.checked_sub(1).ok_or("its types are nested too deeply")?;
        let inner = |id| self.size_within(id, None, depth);
        let product = |size: u32, count: u32| size.checked_mul(count).ok_or_else(unknown);
        Ok(match self.types.get(&id).ok_or_else(unknown)? {
            Type::Scalar { bytes } => *bytes,
            Type::Vector { component, count } => product(inner(*component)?, *count)?,
            Type::Matrix { column, count } => {
                let stride = member.and_then(|member| self.matrix_strides.get(&member).copied());
                product(stride.map_or_else(|| inner(*column), Ok)?, *count)?
            }
            Type::Array { element, length } => {
                let length = self.constants.get(length).ok_or_else(unknown)?;
                product(self.array_strides.get(&id).map_or_else(|| inner(*element), |&stride| Ok(stride))?, *length)?
            }
            Type::RuntimeArray { .. } => 0,
            Type::Struct { members } => {
                let mut end = 0_u32;
                for (index, &member) in members.iter().enumerate() {
                    let place = (id, index as u32);
                    let start = self.offsets.get(&place).copied().unwrap_or(end);
                    let size = self.size_within(member, Some(place), depth)?;
                    end = end.max(start.checked_add(size).ok_or_else(unknown)?);
                }
                end
            }
            _ => return Err(unknown()),
        })
    }
}

fn parse_type(opcode: spirv::Op, operands: &[u32]) -> Option<Type> {
    let at = |index: usize| operands.get(index).copied();
    Some(match opcode {
        spirv::Op::TypeInt | spirv::Op::TypeFloat => Type::Scalar { bytes: at(1)? / 8 },
        spirv::Op::TypeBool => Type::Scalar { bytes: 4 },
        spirv::Op::TypeVector => Type::Vector { component: at(1)?, count: at(2)? },
        spirv::Op::TypeMatrix => Type::Matrix { column: at(1)?, count: at(2)? },
        spirv::Op::TypeArray => Type::Array { element: at(1)?, length: at(2)? },
        spirv::Op::TypeRuntimeArray => Type::RuntimeArray { element: at(1)? },
        spirv::Op::TypeStruct => Type::Struct { members: operands.get(1..)?.to_vec() },
        spirv::Op::TypePointer => Type::Pointer { pointee: at(2)? },
        // Operand 6 says how an image is used: 1 with a sampler, 2 without one.
        spirv::Op::TypeImage if at(6)? == 2 => Type::StorageImage,
        spirv::Op::TypeSampledImage => Type::SampledImage,
        spirv::Op::TypeImage | spirv::Op::TypeSampler | spirv::Op::TypeVoid | spirv::Op::TypeFunction => Type::Other,
        _ => return None,
    })
}

/// A literal string: UTF-8 in little-endian words, ended by a zero byte.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
