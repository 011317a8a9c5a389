"""The lean solver of `track` against the exact one, on scenes of their real size. No test (it takes minutes): it prints the table of
docs/track.md. Usage: lean_exact.py LIMBER SOURCE [NAME...], names among drape, fold, skirt, box, flag"""

import array
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

limber, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SIDE = 40  # vertices of a side of the sheet


def sheet(folder):
    """2 m wide, level; returns its vertices."""
    vertices = [(2 * i / (SIDE - 1) - 1, 0, 2 * j / (SIDE - 1) - 1) for j in range(SIDE) for i in range(SIDE)]
    with open(os.path.join(folder, "sheet.obj"), "w") as f:
        f.writelines("v %.9g %.9g %.9g\n" % v for v in vertices)
        for j in range(SIDE - 1):
            for i in range(SIDE - 1):
                a = j * SIDE + i + 1
                b, c, d = a + 1, a + SIDE, a + SIDE + 1
                f.write("f %d %d %d\nf %d %d %d\n" % ((a, c, b, b, c, d) if (i + j) % 2 else (a, c, d, a, d, b)))
    return vertices


def drape(folder):
    sheet(folder)
    return {"limber": 1, "seconds": 2, "colliders": [{"shape": "sphere", "radius": 0.5}],
            "objects": [{"name": "sheet", "engine": "track", "mesh": "sheet.obj", "position": [0, 0.75, 0], "substeps": 4,
                         "track": {"thickness": 0.01, "damping": 0.01}}]}


def fold(folder):
    """A guide that folds the sheet through itself within a second."""
    vertices, frames = sheet(folder), 30
    numbers = array.array("f")
    for k in range(frames):
        angle = 3.6 * min(1, k / 24)
        for x, _, z in vertices:
            numbers.extend((x * math.cos(angle), x * math.sin(angle), z) if x > 0 else (x, 0, z))
    with open(os.path.join(folder, "fold.pc2"), "wb") as f:
        f.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(vertices), 0, 1, frames))
        numbers.tofile(f)
    return {"limber": 1, "seconds": 26 / 24,
            "objects": [{"name": "sheet", "engine": "track", "mesh": "sheet.obj", "substeps": 4,
                         "track": {"guide": "fold.pc2", "regions": 36}}]}


def gallery(name, objects, seconds):
    """The first moments of a scene of the gallery, as many of its objects."""
    with open(os.path.join(source, "gallery", "track", name + ".json")) as f:
        scene = json.loads(f.read().replace("../assets", os.path.join(source, "gallery", "assets")))
    scene["objects"], scene["seconds"] = scene["objects"][:objects], seconds
    return scene


CASES = {
    "drape": drape,
    "fold": fold,
    "skirt": lambda folder: gallery("skirt", 1, 1),
    "box": lambda folder: gallery("box", 1, 2),
    "flag": lambda folder: gallery("flag", 2, 1),
}


def run(scene, solver, folder):
    """Columns of numbers of the last object, by name, and its statistics."""
    scene["objects"][-1]["track"]["solver"] = solver
    paths = [os.path.join(folder, solver + end) for end in (".json", ".lmc", ".csv", ".stats")]
    with open(paths[0], "w") as f:
        json.dump(scene, f)
    subprocess.run([limber, "run", paths[0], "--out", paths[1], "--stats-frames", paths[2], "--stats", paths[3], "--threads", "1",
                    "--quiet"], check=True)
    with open(paths[2]) as f:
        rows = list(csv.DictReader(f))
    name = scene["objects"][-1]["name"] + "."
    columns = {key[len(name):]: [float(row[key]) for row in rows] for key in rows[0] if key.startswith(name)}
    columns["seconds"] = [float(row["frame_seconds"]) for row in rows]
    columns["motion"] = [math.sqrt(energy) for energy in columns["kinetic_energy"]]  # as the rms speed
    with open(paths[3]) as f:
        return columns, json.load(f)["objects"][-1]


def mean(numbers):
    return sum(numbers) / max(1, len(numbers))


def compare(name):
    with tempfile.TemporaryDirectory(prefix="limber-lean-") as folder:
        (lean, told), (exact, _) = [run(CASES[name](folder), solver, folder) for solver in ("lean", "exact")]
    height = exact["center_y"]
    fall = max(height) - min(height)
    end = len(height)
    if name == "drape":  # to 0.5 s after the impact; later folds differ, and the height with them
        end = 12 + next(k for k, pairs in enumerate(exact["pairs"]) if pairs > 0)
    off = max(abs(a - b) for a, b in zip(lean["center_y"][:end], height)) / fall
    conflict = [k for k, count in enumerate(exact["gave_way"]) if count > 0]
    moved = mean([lean["motion"][k] for k in conflict]) / mean([exact["motion"][k] for k in conflict]) if conflict else 1
    print("| %s | %.2f %% | %.2f | %.4g, %.4g | %d, %d | %.2f | %d of %d | %d | %.1f |" % (
        name, 100 * off, lean["motion"][-1] / exact["motion"][-1], lean["elastic_energy"][-1], exact["elastic_energy"][-1],
        sum(lean["gave_way"]), sum(exact["gave_way"]), moved, told["done_again"], len(height) - 1, told["intersections"],
        sum(exact["seconds"]) / sum(lean["seconds"])), flush=True)


print("| scene | heights differ by, of the fall | rms speed at the end, of the exact | elastic energy at the end, lean and exact, J | regions"
      " that gave way, sum of frames | rms speed in conflict | done again, steps of frames | intersections | times as fast |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for name in sys.argv[3:] or CASES:
    compare(name)
