#[test]
fn measure() {
    use super::*;
    use crate::{model::strain, reference};
    let mut scene = Scene::load("verlet", &[]).unwrap();
    for (loss, sub, ss) in [(0.01, 2, 1500.0), (0.005, 2, 1500.), (0.01, 1, 6000.0)] {
        scene.velocity_loss = loss;
        scene.substeps = sub;
        scene.structural_stiffness = ss;
        let cloth = scene.cloth().unwrap();
        let start: Vec<_> =
            cloth.positions.iter().map(|p| p.truncate().extend(if p.w == 0.0 { 1.0 } else { 0.0 })).collect();
        let mut v = reference::verlet::Verlet::new(&start);
        let g = cloth.grid.unwrap();
        for frame in 0..600 {
            for _ in 0..sub {
                v.step(&scene.verlet_settings().parameters(&scene.step(), &g));
            }
            if frame % 60 == 59 {
                let s = strain(&v.current, &cloth.springs);
                println!(
                    "verlet {loss} {sub} t {} rms {:.3} max {:.3} bottom {}",
                    (frame + 1) / 60,
                    s.rms,
                    s.max,
                    v.current[31 * 32 + 16]
                );
            }
        }
    }
}
#[test]
fn measure_pbd() {
    use super::*;
    use crate::{model::strain, reference::pbd::Pbd};
    for (source, set) in [("flag", ""), ("flag", "substeps=30"), ("/work/shared/data/shirt-cm.obj", "scale=0.01")] {
        let set: Vec<_> = set.split_once('=').map(|(k, v)| (k.to_string(), v.to_string())).into_iter().collect();
        let scene = Scene::load(source, &set).unwrap();
        let cloth = scene.cloth().unwrap();
        let (settings, step) = (scene.pbd_settings(), scene.step());
        let mut pbd = Pbd::new(&cloth.positions, &settings.constraints(&cloth), cloth.coloring.batches());
        let p = settings.parameters(&step, cloth.positions.len());
        let before = cloth.positions.clone();
        for frame in 0..360u32 {
            for s in 0..step.substeps {
                pbd.substep(
                    &p,
                    settings.flutter_phase(f64::from(frame) / 60.0 + f64::from(s) * f64::from(step.substep_dt())),
                    1,
                );
            }
            if frame % 30 == 29 {
                let s = strain(&pbd.positions, &cloth.springs);
                let v = pbd.velocities.iter().map(|v| f64::from(v.truncate().length_squared())).sum::<f64>()
                    / before.len() as f64;
                println!(
                    "{source} {set:?} t {:.1} rms {:.4} max {:.3} speed {:.3} last {} batches {}",
                    f64::from(frame + 1) / 60.0,
                    s.rms,
                    s.max,
                    v.sqrt(),
                    pbd.positions[cloth.positions.len() - 50],
                    cloth.coloring.batches().len()
                );
            }
        }
    }
}
