"""The characters of the gallery do in ten seconds what they are there for. Usage: test_troupe.py LIMBER SOURCE"""

import json
import math
import os
import subprocess
import sys
import tempfile

limber, source = sys.argv[1], sys.argv[2]


def travelled(o):
    """Horizontally, in sizes of the body."""
    return math.hypot(o["com_end"][0] - o["com_start"][0], o["com_end"][2] - o["com_start"][2]) / o["size"]


# Per scene: how many unknowns and parameters (of the paper, 15 % allowed), and what its objects must have done.
PROMISES = {
    "act/sphere": ((246, 246), 24, {"travelled": (5, 20)}),
    "act/teacups": ((228, 375), 24, {"hops": (6, 100), "toppled": (0, 0), "travelled": (1, 20)}),
    "act/cross": ((1128, 1128), 6, {"travelled": (5, 20)}),
    "act/ace-1": ((231, 231), 3, {"travelled": (3, 20)}),
    "act/ace-2": ((231, 231), 42, {"travelled": (3, 20)}),
    "act/castle-1": ((142, 142), 22, {"steps_verified": (12, 100), "tilt_max": (0, 0.5), "slip_max": (0, 0.05)}),
    "act/castle-2": ((64, 64), 22, {"steps_verified": (8, 100), "tilt_max": (0, 0.5), "slip_max": (0, 0.05)}),
    "act/pirate": ((188, 188), 12, {"steps_verified": (12, 100), "tilt_max": (0, 0.5), "slip_max": (0, 0.067)}),
    "act/crusty-1": ((114, 114), 12, {"steps_verified": (12, 100), "tilt_max": (0, 0.5), "slip_max": (0, 0.0465)}),
    "act/crusty-2": ((114, 114), 57, {"steps_verified": (12, 100), "tilt_max": (0, 0.5), "slip_max": (0, 0.0465)}),
}
EVERYWHERE = {"internal_force_sum": 1e-10, "friction_violation": 0.01, "physics_residual": 1e-8}


def check(objects, unknowns, params, promises):
    for o in objects:
        values = dict(o, travelled=travelled(o))
        if not 0.85 * unknowns[0] <= o["dofs"] <= 1.15 * unknowns[1]:
            yield "%s has %d unknowns" % (o["name"], o["dofs"])
        if abs(o["params"] - params) > 0.15 * params:
            yield "%s has %d parameters" % (o["name"], o["params"])
        for key, (least, most) in promises.items():
            if not least <= values[key] <= most:
                yield "%s: %s is %g, must be from %g to %g" % (o["name"], key, values[key], least, most)
        for key, most in EVERYWHERE.items():
            if not o[key] < most:
                yield "%s: %s is %g, must be below %g" % (o["name"], key, o[key], most)
        if not o["max_penetration"] < 0.02 * o["size"]:
            yield "%s is %g m deep in something" % (o["name"], o["max_penetration"])


bad = 0
for name, (unknowns, params, promises) in PROMISES.items():
    with tempfile.TemporaryDirectory(prefix="limber-troupe-") as folder:
        stats = os.path.join(folder, "stats.json")
        run = subprocess.run([limber, "run", os.path.join(source, "gallery", name + ".json"), "--out",
                              os.path.join(folder, "a.lmc"), "--stats", stats, "--quiet"],
                             capture_output=True, text=True, timeout=600)
        problems = ["code %d: %s" % (run.returncode, run.stderr)] if run.returncode else []
        if not problems:
            with open(stats) as f:
                problems = list(check(json.load(f)["objects"], unknowns, params, promises))
    for problem in problems:
        print("%s: %s" % (name, problem))
    bad += bool(problems)
print("%d passed, %d failed" % (len(PROMISES) - bad, bad))
sys.exit(bad > 0)
