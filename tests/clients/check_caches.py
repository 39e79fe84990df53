"""Opens what `bake` writes with the programs that it is for, and prints how far they are off.

    python check_caches.py BAKE SHIRT.obj

bakes a shirt, a flag and ropes with the program BAKE into a temporary folder, and compares what the clients make of each format with
the arrays of the NPZ of the same bake. It needs Python 3.11 with bpy (Blender 5), usd-core and numpy:

    python3.11 -m venv clients && clients/bin/pip install bpy usd-core numpy

and, on Debian, the libraries of Blender: libxi6 libxxf86vm1 libxkbcommon0 libsm6 libgl1 libegl1. It ends with code 1 where anything is
further off than its format may be: not at all, but for what glTF rounds, whose frames are sums.
"""

import pathlib
import subprocess
import sys
import tempfile

import bpy
import numpy
from pxr import Sdf, Usd, UsdGeom

FRAMES = 12
FPS = 24
BINARY = ["pc2", "mdd", "usda", "gltf", "npz"]
failures = []


def report(client, what, frames, difference, most=0.0):
    """A line of the table, in the unit of the positions."""
    print(f"{client:<12} {what:<28} {frames:>3} frames   largest difference {difference:.3g}")
    if not difference <= most:
        failures.append(f"{client}, {what}: {difference} is more than {most}")


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: {found!r} is not {expected!r}")


def bake(program, folder, name, arguments):
    for ending in BINARY + ["obj", "ply"]:
        output = f"{name}.###.{ending}" if ending in ("obj", "ply") else f"{name}.{ending}"
        command = [program, *arguments, "--frames", str(FRAMES), "--fps", str(FPS), "--output", output]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    arrays = dict(numpy.load(folder / f"{name}.npz"))
    moves = numpy.abs(numpy.diff(arrays["positions"], axis=0)).max(axis=(1, 2)) * arrays["metres_per_unit"]
    expect(f"all frames of the {name} differ", bool((moves > 1e-4).all()), True)
    return arrays


def off(found, expected):
    found = numpy.asarray(found, dtype=numpy.float64)
    if found.shape != expected.shape:
        failures.append(f"{found.shape} is not the shape {expected.shape}")
        return float("inf")
    return float(numpy.abs(found - expected).max())


def check_usd(folder, name, kind, arrays):
    stage = Usd.Stage.Open(str(folder / f"{name}.usda"))
    expect("metersPerUnit", numpy.float32(UsdGeom.GetStageMetersPerUnit(stage)), arrays["metres_per_unit"])
    expect("upAxis", UsdGeom.GetStageUpAxis(stage), "XYZ"[int(arrays["up"])])
    expect("time codes", (stage.GetStartTimeCode(), stage.GetEndTimeCode()), (0.0, FRAMES - 1.0))
    expect("time codes a second", stage.GetTimeCodesPerSecond(), float(FPS))
    expect("the root", stage.GetDefaultPrim().GetPath(), Sdf.Path("/baked"))
    (prim,) = stage.GetDefaultPrim().GetChildren()
    points = kind(prim).GetPointsAttr()
    expect("samples", points.GetTimeSamples(), [float(frame) for frame in range(FRAMES)])
    expect("samples of the extent", UsdGeom.Boundable(prim).GetExtentAttr().GetTimeSamples(), points.GetTimeSamples())
    for frame in range(FRAMES):
        stored = UsdGeom.Boundable(prim).GetExtentAttr().Get(frame)
        expect("an extent", stored, UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), frame))
    if kind is UsdGeom.Mesh:
        mesh = UsdGeom.Mesh(prim)
        counts, indices = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
        expect("faces", (list(counts), list(indices)), (arrays["face_sizes"].tolist(), arrays["corners"].tolist()))
        valid = UsdGeom.Mesh.ValidateTopology(indices, counts, len(points.Get(0)))
        expect("a valid topology", valid[0] if isinstance(valid, tuple) else valid, True)
        if "uvs" in arrays:
            uvs = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st")
            expect("texture coordinates", uvs.GetInterpolation(), "faceVarying")
            report("usd-core", f"{name}.usda, primvars:st", 1, off(uvs.Get(), arrays["uvs"]))
    else:
        curves = UsdGeom.BasisCurves(prim)
        expect("curves", list(curves.GetCurveVertexCountsAttr().Get()), arrays["rope_sizes"].tolist())
        expect("widths", list(curves.GetWidthsAttr().Get()), [float(arrays["width"])])
    found = [points.Get(frame) for frame in range(FRAMES)]
    report("usd-core", f"{name}.usda, points", FRAMES, off(found, arrays["positions"]))


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    # So that frame f of the scene is at f / FPS, as in a cache whose first frame is 0.
    bpy.context.scene.frame_start = 0


def evaluated(thing, frame):
    """The places of the vertices of an object in a frame, in its own coordinates."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    data = thing.evaluated_get(graph).data
    points = data.vertices if hasattr(data, "vertices") else data.points
    places = numpy.empty((len(points), 3), dtype=numpy.float32)
    points.foreach_get("co" if hasattr(data, "vertices") else "position", places.ravel())
    return places


def the(kind):
    (thing,) = [thing for thing in bpy.context.scene.objects if thing.type == kind]
    return thing


def import_obj(path):
    # Objects and groups must not split what belongs together; vertices keep their order, and their coordinates those of the file.
    bpy.ops.wm.obj_import(filepath=str(path), use_split_objects=False, use_split_groups=False, validate_meshes=False)
    return the("MESH")


def check_mesh_cache(folder, name, mesh, arrays):
    """OBJ and a modifier Mesh Cache that plays PC2 or MDD over it."""
    for ending in ("pc2", "mdd"):
        clear()
        thing = import_obj(mesh)
        corners = numpy.empty(len(thing.data.loops), dtype=numpy.int32)
        thing.data.loops.foreach_get("vertex_index", corners)
        expect(f"corners of {mesh.name}", corners.tolist(), arrays["corners"].tolist())
        modifier = thing.modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format, modifier.filepath = ending.upper(), str(folder / f"{name}.{ending}")
        # The axes as they are in the file, and frames one by one.
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
        modifier.frame_start, modifier.interpolation = 0, "NONE"
        found = [evaluated(thing, frame) for frame in range(FRAMES)]
        report("Blender", f"{mesh.name} + {name}.{ending}", FRAMES, off(found, arrays["positions"]))


def check_blender_usd(folder, name, kind, arrays):
    clear()
    bpy.ops.wm.usd_import(filepath=str(folder / f"{name}.usda"), set_frame_range=True)
    expect("the range of frames", (bpy.context.scene.frame_start, bpy.context.scene.frame_end), (0, FRAMES - 1))
    thing = the(kind)
    found = [evaluated(thing, frame) for frame in range(FRAMES)]
    report("Blender", f"{name}.usda", FRAMES, off(found, arrays["positions"]))


def check_stills(folder, name, arrays):
    found = []
    for frame in range(FRAMES):
        clear()
        found.append(evaluated(import_obj(folder / f"{name}.{frame:03}.obj"), 0))
    report("Blender", f"{name}.###.obj", FRAMES, off(found, arrays["positions"]))
    found = []
    for frame in range(FRAMES):
        clear()
        bpy.ops.wm.ply_import(filepath=str(folder / f"{name}.{frame:03}.ply"), forward_axis="Y", up_axis="Z")
        found.append(evaluated(the("MESH"), 0))
    report("Blender", f"{name}.###.ply", FRAMES, off(found, arrays["positions"]))


def check_gltf(folder, name, arrays):
    clear()
    bpy.ops.import_scene.gltf(filepath=str(folder / f"{name}.gltf"))
    thing = the("MESH")
    positions = arrays["positions"]
    # Blender turns y up into z up as it reads.
    expected = numpy.stack([positions[..., 0], -positions[..., 2], positions[..., 1]], axis=-1)
    found = [evaluated(thing, frame)[: positions.shape[1]] for frame in range(FRAMES)]
    # Each number is a sum of two that are rounded to 32 bits, which Blender computes with weights that are rounded too.
    most = 8 * float(numpy.finfo(numpy.float32).eps) * float(numpy.abs(positions).max())
    report("Blender", f"{name}.gltf", FRAMES, off(found, expected), most)


def main(program, shirt):
    program, shirt = str(pathlib.Path(program).resolve()), pathlib.Path(shirt).resolve()
    print(f"Blender {bpy.app.version_string}, OpenUSD {'.'.join(map(str, Usd.GetVersion()))}, NumPy {numpy.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        arrays = bake(program, folder, "shirt", [str(shirt), "--scale", "0.01", "--backend", "cpu"])
        check_usd(folder, "shirt", UsdGeom.Mesh, arrays)
        check_mesh_cache(folder, "shirt", shirt, arrays)
        check_blender_usd(folder, "shirt", "MESH", arrays)
        check_stills(folder, "shirt", arrays)
        check_gltf(folder, "shirt", arrays)
        arrays = bake(program, folder, "flag", ["flag", "--backend", "cpu"])
        check_usd(folder, "flag", UsdGeom.Mesh, arrays)
        check_mesh_cache(folder, "flag", folder / "flag.000.obj", arrays)
        check_blender_usd(folder, "flag", "MESH", arrays)
        check_stills(folder, "flag", arrays)
        check_gltf(folder, "flag", arrays)
        arrays = bake(program, folder, "ropes", ["ropes", "--backend", "cpu", "--set", "rope_count=20", "--set", "external_acceleration=[2, 0, 3]"])
        check_usd(folder, "ropes", UsdGeom.BasisCurves, arrays)
        check_blender_usd(folder, "ropes", "CURVES", arrays)
        check_stills(folder, "ropes", arrays)
        check_gltf(folder, "ropes", arrays)
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
