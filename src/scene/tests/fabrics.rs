//! Fabrics: which keys they set, and what counts more.

use super::*;
use crate::model::{BendingForm, GridPlane};

fn masses(settings: &[&str]) -> f32 {
    load("flag", settings).expect("a scene").particle_mass
}

#[test]
fn every_fabric_sets_its_keys() {
    let names: Vec<_> = fabrics().iter().map(|fabric| fabric.name.as_str()).collect();
    let key = Scene::keys().iter().find(|key| key.name == "fabric").expect("the key");
    assert_eq!(key.form, Form::Choice(Box::leak(names.into_boxed_slice())));
    for fabric in fabrics() {
        let scene = load("drape", &[&format!("fabric={}", fabric.name)]).expect("a scene");
        let found =
            [scene.area_density, scene.compliance, scene.shear_compliance, scene.bending_stiffness, scene.damping];
        let Fabric { area_density, compliance, shear_compliance, bending_stiffness, damping, .. } = *fabric;
        assert_eq!(found, [area_density, compliance, shear_compliance, bending_stiffness, damping], "{}", fabric.name);
        assert_eq!(scene.warp_compliance, Some(fabric.warp_compliance));
        assert_eq!((scene.bending, scene.bending_form), (true, Some(BendingForm::Dihedral)));
        assert_eq!(scene.particle_mass, area_density * 0.03 * 0.03);
        assert!(!fabric.description.is_empty() && !fabric.source.is_empty());
        // Each is an orthotropic sheet that yields in every direction.
        let settings = Scene { solver: SolverKind::Xpbd, ..scene }.pbd_settings();
        assert!((0..=10).all(|tenth| settings.compliance_along(tenth as f32 / 10.0) > 0.0), "{}", fabric.name);
        // 1.2 kg/m³, a drag coefficient of 1.2 and 0.1 m/s, to the two digits that are given.
        assert!((damping * area_density / (0.5 * 1.2 * 1.2 * 0.1) - 1.0).abs() < 0.05, "{}", fabric.name);
    }
}

#[test]
fn derived_numbers_follow_from_what_they_are_derived_from() {
    let of = |name: &str| fabrics().iter().find(|fabric| fabric.name == name).expect("a fabric");
    let close = |found: f32, expected: f32| assert!((found / expected - 1.0).abs() < 0.04, "{found} and {expected}");
    // Modulus, thickness, density and Poisson's ratio.
    for (name, modulus, thickness, density, ratio) in
        [("leather", 1e8_f32, 6e-4_f32, 900.0, 0.3_f32), ("rubber", 1.5e6, 4e-4, 950.0, 0.5)]
    {
        close(of(name).area_density, density * thickness);
        close(of(name).bending_stiffness, modulus * thickness.powi(3) / (12.0 * (1.0 - ratio * ratio)));
        for compliance in [of(name).compliance, of(name).warp_compliance, of(name).shear_compliance] {
            close(compliance, 1.0 / (modulus * thickness));
        }
    }
    // Kawabata's EMT at 500 gf/cm, G in gf/(cm degree), B in gf cm.
    let gram_force = 9.80665e-3_f32;
    let denim = of("denim");
    close(denim.compliance, 0.05515 / (500.0 * gram_force / 0.01));
    let shear = 2.18 * gram_force / 0.01 * 1.0_f32.to_degrees();
    close(denim.shear_compliance, (denim.compliance + denim.warp_compliance) / 4.0 + 1.0 / (4.0 * shear));
    close(denim.bending_stiffness, 0.172 * gram_force * 0.01);
    // As much again of the same.
    for (light, heavy) in [("cotton", "denim"), ("silk", "polyester")] {
        let ratio = of(heavy).area_density / of(light).area_density;
        close(of(light).compliance, ratio * of(heavy).compliance);
        close(of(light).shear_compliance, ratio * of(heavy).shear_compliance);
    }
    // FAST's E100 at 100 gf/cm and EB5 at 5 gf/cm.
    close(of("wool").compliance, 0.0587 / 98.07);
    close(of("wool").warp_compliance, 0.0460 / 98.07);
    close(of("wool").shear_compliance, 0.047 / 4.903);
}

#[test]
fn a_fabric_counts_less_than_keys_beside_it_and_more_than_what_it_stands_on() {
    let scene = load_file("damping = 0.9\nfabric = \"silk\"\npreset = \"drape\"\nspacing = 0.1").expect("a scene");
    assert_eq!((scene.damping, scene.area_density, scene.plane), (0.9, 0.069, GridPlane::Horizontal));
    assert_eq!(scene.particle_mass, 0.069 * 0.1 * 0.1);
    // Overrides count more than the file, and of these the fabric least, wherever it stands.
    let (_folder, path) = written("some.toml", "fabric = \"silk\"\ndamping = 0.9\nspacing = 0.1");
    let over = |settings: &[&str]| load(path.to_str().expect("a path"), settings).expect("a scene");
    let denim = over(&["compliance=0.5", "fabric=denim"]);
    assert_eq!((denim.compliance, denim.damping, denim.area_density), (0.5, 0.22, 0.324));
    assert_eq!(over(&["spacing=0.2"]).particle_mass, 0.069 * 0.2 * 0.2);
    assert_eq!(over(&["particle_mass=3"]).particle_mass, 3.0);
    assert_eq!(load_file("fabric = \"silk\"\nparticle_mass = 2").expect("a scene").particle_mass, 2.0);

    assert_eq!(masses(&["fabric=rubber"]), 0.38 * 0.02 * 0.02);
    assert_eq!(masses(&["spacing=0.1", "fabric=rubber"]), 0.38 * 0.1 * 0.1);
    assert_eq!(masses(&["fabric=rubber", "particle_mass=1"]), 1.0);
    assert_eq!(masses(&[]), 1e-4);
}
