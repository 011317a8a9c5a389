#!/usr/bin/env python3
"""schema.py ROOT: docs/scene.schema.json is a valid schema, accepts tests/scene/everything.json and all scenes of the
gallery, and rejects what the reader rejects. Leaves with 77 where python3-jsonschema is missing."""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("schema: no python3-jsonschema here")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "docs/scene.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failures = 0


def judge(name, scene, good):
    global failures
    errors = sorted(validator.iter_errors(scene), key=lambda e: list(e.absolute_path))
    if bool(errors) == good:
        failures += 1
        print(f"{name}: " + ("; ".join(f"{e.json_path}: {e.message}" for e in errors) if good else "is accepted"))


everything = root / "tests/scene/everything.json"
scenes = sorted((root / "gallery").rglob("*.json"))
scenes = [path for path in scenes if "limber" in (json.loads(path.read_text()) or {})]
for path in [everything, *scenes]:
    judge(path, json.loads(path.read_text()), True)

# Each breaks one thing: a path of keys, and the value to put there (DELETE removes it).
DELETE = object()
breaks = [
    (["limber"], DELETE), (["limber"], 2), (["objects"], []), (["sceonds"], 1), (["fps"], "24"), (["fps"], 0),
    (["seconds"], 0), (["gravity"], [0, 1]), (["background"], "red"), (["size"], [10.5, 100]),
    (["camera", "fov"], 0), (["colliders", 0, "shape"], "plain"), (["colliders", 0, "rotation"], [1, 0, 0]),
    (["colliders", 0, "rotation", "axis"], DELETE), (["colliders", 3, "keys"], []),
    (["objects", 0, "engine"], "mach"), (["objects", 0, "mesh"], ""), (["objects", 0, "scale"], 0),
    (["objects", 0, "groups", "left"], [-1]), (["objects", 0, "groups", "low", "box"], [[0, 0, 0]]),
    (["objects", 0, "pins", 0, "offset"], [[0, 0, 0]]), (["objects", 0, "pins", 0, "offset"], 1),
    (["objects", 0, "drags", 0, "target"], DELETE), (["objects", 0, "match", "beta"], 1.5),
    (["objects", 0, "match", "examples", 0, "strength"], [[0, 2]]), (["objects", 0, "match", "examples", 0, "mesh"], 1),
    (["objects", 0, "match", "self_contact"], 1), (["objects", 3, "lattice"], True),
]
original = json.loads(everything.read_text())
for path, value in breaks:
    scene = copy.deepcopy(original)
    place = scene
    for key in path[:-1]:
        place = place[key]
    if value is DELETE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    judge(".".join(map(str, path)) + f" = {value!r}", scene, False)

print(f"schema: {len(scenes) + 1} scenes accepted, {len(breaks)} broken ones judged, {failures} failures")
sys.exit(1 if failures else 0)
