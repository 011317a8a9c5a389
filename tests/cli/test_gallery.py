"""Every scene of the gallery runs for its first moments, stays finite and keeps its promises. Usage: test_gallery.py LIMBER SOURCE"""

import glob
import json
import os
import subprocess
import sys
import tempfile

limber, source = sys.argv[1], sys.argv[2]
passed = failed = 0
LONGER = {"match/slope": "2.5"}  # until the bodies have tumbled over each other
# Bodies meet at up to 10 m/s, which is 0.03 m in an inner step of 1/360 s. Who meets whom hangs on rounding: 0.003 to
# 0.032 of the size were seen over SIMD levels and orders of summation.
DEEPER = {"match/slope": 0.04}
SKIPPED = {"design/hundred", "design/dive"}  # half a minute and more: `make gallery` runs them


def check(name, stats):
    """What is wrong with the statistics of a run, as sentences."""
    if not stats["objects"]:
        yield "has no objects"
    for o in stats["objects"]:
        if not o["finite"] or None in o["com_end"]:
            yield "%s is not finite" % o["name"]
        if o["max_penetration"] > DEEPER.get(name, 0.02) * o["size"]:
            yield "%s is %g m deep in something, size %g" % (o["name"], o["max_penetration"], o["size"])
        if o["engine"] == "match":
            if o["weights_min"] < 0 or abs(o["weights_sum_max"] - 1) > 1e-6:
                yield "%s has weights down to %g, sum %g" % (o["name"], o["weights_min"], o["weights_sum_max"])
            if o["recovered"] > 0:
                yield "%s had to be recovered" % o["name"]
        if o["engine"] == "act":
            for key, most in (("internal_force_sum", 1e-10), ("internal_torque_sum", 1e-10), ("physics_residual", 1e-8),
                              ("friction_violation", 0.01)):
                if not o[key] < most:
                    yield "%s: %s is %g, must be below %g" % (o["name"], key, o[key], most)
        if o["engine"] == "track":
            if o["intersections"] != 0:
                yield "%s intersects in %d pairs" % (o["name"], o["intersections"])
            if o["constraint_residual"] >= 1e-6:
                yield "%s misses its guide by %g" % (o["name"], o["constraint_residual"])
        if o["engine"] == "design":
            if o["key_error"] > 1e-6 or o["obstacle_depth"] > 0.01 or o["pair_depth"] > 0.01:
                yield "%s misses a key by %g, is %g in obstacles and %g in others" % (
                    o["name"], o["key_error"], o["obstacle_depth"], o["pair_depth"])


for scene in sorted(glob.glob(os.path.join(source, "gallery", "*", "*.json"))):
    if "/".join(scene[:-5].split(os.sep)[-2:]) in SKIPPED:
        continue
    with tempfile.TemporaryDirectory(prefix="limber-gallery-") as folder:
        stats_path = os.path.join(folder, "stats.json")
        name = "/".join(scene[:-5].split(os.sep)[-2:])
        seconds = LONGER.get(name, "0.04" if name.startswith("track/") else "0.25")
        run = subprocess.run([limber, "run", scene, "--seconds", seconds, "--out", os.path.join(folder, "a.lmc"), "--stats",
                              stats_path, "--quiet"], capture_output=True, text=True, timeout=3600)
        problems = ["code %d: %s" % (run.returncode, run.stderr)] if run.returncode else []
        if not problems:
            with open(stats_path) as f:
                problems = list(check(name, json.load(f)))
    for problem in problems:
        print("%s: %s" % (scene, problem))
    failed += bool(problems)
    passed += not problems
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0 or passed == 0)
