"""Replays a capture and writes what is in it to a folder: read.py CAPTURE FOLDER

capture.json has the tree of labels, with the draws and dispatches right below each; of the first call of each pass
its shaders with their sources and what they bind; and the names of all objects. Beside it lie the contents at the end of
the capture, a file for each buffer and each image of four 32-bit floats.
"""

import json
import sys

import renderdoc as rd

CALLS = [(rd.ActionFlags.Dispatch, "dispatch"), (rd.ActionFlags.Drawcall, "draw")]
DISPATCH_STAGES = [rd.ShaderStage.Compute]
DRAW_STAGES = [rd.ShaderStage.Vertex, rd.ShaderStage.Fragment]


def check(result, what):
    if result != rd.ResultCode.Succeeded:
        sys.exit(f"{what}: {result}")


def code(result):
    """The code of a result, which some versions return as it is and others with a message."""
    return getattr(result, "code", result)


def labels(actions):
    """The labels among some actions, each with its calls and the labels below it."""
    found = []
    for action in actions:
        if action.flags & rd.ActionFlags.PushMarker:
            calls = [name for child in action.children for flag, name in CALLS if child.flags & flag]
            found.append({"label": action.customName, "calls": calls, "below": labels(action.children)})
    return found


def first_calls(actions, path, found):
    """The first call of each pass, and of each pipeline that a pass draws with."""
    for action in actions:
        if action.flags & (rd.ActionFlags.Dispatch | rd.ActionFlags.Drawcall):
            found.setdefault(next(label for label in reversed(path) if "/" in label), action)
        inner = path + [action.customName] if action.flags & rd.ActionFlags.PushMarker else path
        first_calls(action.children, inner, found)


def described(controller, names, action):
    """The shaders of a call, and the resources that it reads and writes."""
    controller.SetFrameEvent(action.eventId, True)
    state = controller.GetPipelineState()
    call = {"sources": {}, "shaders": [], "bound": []}
    for stage in DISPATCH_STAGES if action.flags & rd.ActionFlags.Dispatch else DRAW_STAGES:
        reflection = state.GetShaderReflection(stage)
        if reflection is None:
            continue
        call["shaders"].append(names[state.GetShader(stage)])
        call["sources"].update({file.filename: file.contents for file in reflection.debugInfo.files})
        arrays = list(state.GetReadWriteResources(stage)) + list(state.GetReadOnlyResources(stage))
        bound = [resource.resourceId for array in arrays for resource in array.resources]
        blocks = range(len(reflection.constantBlocks))
        bound += [state.GetConstantBuffer(stage, block, 0).resourceId for block in blocks]
        call["bound"] += [names[resource] for resource in bound if resource != rd.ResourceId.Null()]
    return call


def main(path, folder):
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    capture = rd.OpenCaptureFile()
    check(code(capture.OpenFile(path, "", None)), "opening")
    result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
    check(code(result), "replaying")
    names = {resource.resourceId: resource.name for resource in controller.GetResources()}
    actions = controller.GetRootActions()
    calls = {}
    first_calls(actions, [], calls)
    calls = {name: described(controller, names, action) for name, action in calls.items()}

    controller.SetFrameEvent(actions[-1].eventId, True)
    for buffer in controller.GetBuffers():
        with open(f"{folder}/{names[buffer.resourceId]}", "wb") as file:
            file.write(controller.GetBufferData(buffer.resourceId, 0, 0))
    for texture in controller.GetTextures():
        if texture.format.compByteWidth == 4 and texture.format.compCount == 4:
            with open(f"{folder}/{names[texture.resourceId]}", "wb") as file:
                file.write(controller.GetTextureData(texture.resourceId, rd.Subresource(0, 0, 0)))
    with open(f"{folder}/capture.json", "w") as file:
        json.dump({"labels": labels(actions), "calls": calls, "names": sorted(set(names.values()))}, file, indent=1)
    controller.Shutdown()
    capture.Shutdown()
    rd.ShutdownReplay()


main(*sys.argv[1:])
