//! What comes after a mesh was read: it is mended, looked at and made a cloth.

use tautline::io::{MeshFormat, parse_mesh};
use tautline::model::{BendingForm, Inspection, Preparation, PreparedMesh, WELD_SHARE};

/// Goes with a file as far as a scene does.
pub fn prepared(bytes: &[u8], format: MeshFormat) -> bool {
    let Ok(source) = parse_mesh(bytes, format, None) else { return false };
    let preparation =
        Preparation { metres_per_unit: source.guess_metres_per_unit(), up: source.up, weld_share: WELD_SHARE };
    let Ok(prepared) = PreparedMesh::new(&source, &preparation) else { return false };
    drop(Inspection::new(&prepared));
    let cloth = prepared.mesh.cloth(0.25, BendingForm::Dihedral);
    assert_eq!(cloth.positions.len(), prepared.mesh.positions().len());
    assert!(prepared.particles.iter().all(|&particle| (particle as usize) < cloth.positions.len()));
    true
}
