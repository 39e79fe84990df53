//! The structs that cross between Rust and GLSL.
//!
//! Each is written twice, here and in `glsl/`, and must not drift: `build.rs` reads sizes and member offsets out of the
//! compiled SPIR-V, and the checks at the end of each file compare them with `size_of` and `offset_of!` when the crate
//! is compiled. Buffers hold `vec4`, `uvec4`, `uvec2` and scalars, never `vec3`, whose padding differs between the two.

mod external;
mod hand;
mod limit;
mod pbd;
mod rope;
mod springs;
mod teleport;
mod view;
mod watch;

pub use external::{
    AirParameters, AttachPush, AttachedParticle, Attachment, CollidePush, Collider, CutPush, MOST_COLLIDERS,
};
pub use hand::{GripParticle, PickPush, Picked, PinPush, PullPush};
pub use limit::{LimitCollidePush, LongLinkPush, LongRange, LongRangePush, StrainLimitPush};
pub use pbd::{
    BodyConstraint, BodyHinge, Constraint, FusedPush, Hinge, JacobiPush, PbdBody, PbdParameters, PredictPush,
    SolvePush, TileParameters,
};
pub use rope::{Rope, RopeParameters, RopePush};
pub use springs::{MOST_VERLET_TILE_SUBSTEPS, MassSpringParameters, VerletParameters, VerletPush, VerletTilePush};
pub use teleport::{Jump, TeleportPush};
pub use view::{
    BatchViewPush, ColliderPush, ContactsPush, HeldEndsPush, MOST_BATCH_COLORS, NormalsPush, Palette, PanelPush,
    PanelVertex, RopeRange, RopeViewPush, SolidVertex, ViewParameters, WavePush,
};
pub use watch::{LOOKS_KEPT, Look, LookPush, MOST_LOOK_WORKGROUPS};

/// What the shader compiler says of the same structs.
#[allow(non_upper_case_globals, non_snake_case, dead_code, missing_docs)]
mod spirv {
    include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
}

/// Fails the compilation where Rust and GLSL lay a struct out differently.
macro_rules! assert_same_layout {
    ($name:ident { $($member:ident),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$name>() == spirv::$name::SIZE, "size differs from GLSL");
            assert!([$(stringify!($member)),*].len() == spirv::$name::MEMBERS, "GLSL has other members");
            $(assert!(std::mem::offset_of!($name, $member) == spirv::$name::$member, "offset differs from GLSL");)*
        };
    };
}
use assert_same_layout;
