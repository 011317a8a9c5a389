#!/usr/bin/env python3
"""Short scenes of every engine give the same bits wherever the stack lies, whatever memory held before and however often
they are run; and those that tests/house/golden.json keeps.

Usage, from the project's root: hashes.py LIMBER BUILD [--refresh]
BUILD names what else the bits depend on: compiler, its version and the kind of build. Where that, the C library or the
SIMD level is not that of the golden file, centres of mass are compared instead of hashes. `cmake --build build --target
golden` writes the file anew (--refresh)."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json")
HOW = "`cmake --build build --target golden` writes this file anew; the commit says why the results have changed"
SCENES = {"gallery/act/cross.json": 0.1, "gallery/match/slope.json": 0.2, "gallery/match/local.json": 0.1,
          "gallery/track/band.json": 0.05, "gallery/design/arc.json": 0.1}
LEVEL = "avx2"  # of the golden hashes; machines with more have it, too
MORE = "avx512"  # where a machine has this, the engine that uses it is tried as well, against the golden centres
RUNS = 10
TOLERANCE = 1e-4  # of the size of an object: what centres of mass may differ by between builds


def works(command):
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True).returncode == 0


def run(limber, scene, seconds, level, k, folder):
    """Statistics of run k: another offset of the stack, contents of fresh memory and number of threads each time."""
    stats = os.path.join(folder, "stats.json")
    environment = {**os.environ, "LIMBER_TEST_PADDING": "x" * (16 * (k % 4)), "MALLOC_PERTURB_": str(k * 25)}
    environment.pop("LIMBER_SIMD", None)
    fixed = ["setarch", "-R"] if works(["setarch", "-R", "true"]) else []  # else the stack lies anywhere
    subprocess.run([*fixed, limber, "run", scene, "--seconds", str(seconds), "--threads", str(1 + k % 2), "--simd", level,
                    "--quiet", "--out", os.path.join(folder, "run.lmc"), "--stats", stats], env=environment, check=True)
    with open(stats) as f:
        return json.load(f)


def judge(scene, found, golden, same_build):
    """A sentence when a result is not the golden one."""
    if golden is None:
        return scene + ": is not in golden.json: " + HOW
    if same_build:
        return None if found["hash"] == golden["hash"] else (
            "%s: hash %s, golden is %s. If that is meant: %s" % (scene, found["hash"], golden["hash"], HOW))
    for o, centre in zip(found["objects"], golden["centres"]):
        off = max(abs(a - b) for a, b in zip(o["com_end"], centre))
        if not off <= TOLERANCE * o["size"]:
            return "%s: the centre of %s is %g m from the golden one" % (scene, o["name"], off)
    return None


def repeat(limber, scene, seconds, level, problems):
    """Statistics of the first of RUNS runs at a SIMD level, which must all be equal."""
    with tempfile.TemporaryDirectory(prefix="limber-hashes-") as folder:
        runs = [run(limber, scene, seconds, level, k, folder) for k in range(RUNS)]
    hashes = sorted({r["hash"] for r in runs})
    if len(hashes) > 1:
        problems.append("%s: %d equal runs at %s gave %d hashes: %s" % (
            scene, RUNS, runs[0]["simd"], len(hashes), " ".join(hashes)))
    return runs[0]


def main(limber, build, refresh):
    has = lambda level: works([limber, "check", "--simd", level, next(iter(SCENES))])
    level = LEVEL if has(LEVEL) else "auto"
    more = [MORE] if has(MORE) and not refresh else []
    golden = {"scenes": {}}
    if not refresh:
        with open(GOLDEN) as f:
            golden = json.load(f)
    problems, made, key = [], {}, None
    for scene, seconds in SCENES.items():
        found = repeat(limber, scene, seconds, level, problems)
        key = {"build": build, "libc": " ".join(platform.libc_ver()), "simd": found["simd"]}
        made[scene] = {"hash": found["hash"], "centres": [o["com_end"] for o in found["objects"]]}
        if not refresh:
            problems.append(judge(scene, found, golden["scenes"].get(scene), key == golden["made"]))
        for other in more if "/match/" in scene else []:
            problems.append(judge(scene, repeat(limber, scene, seconds, other, problems), golden["scenes"].get(scene), False))
    problems = [p for p in problems if p]
    if refresh and not problems:
        with open(GOLDEN, "w") as f:
            json.dump({"how": HOW, "made": key, "scenes": made}, f, indent=2)
            f.write("\n")
    print("\n".join(problems) or "%d scenes, %d runs each: the same bits; %s: %s" % (
        len(SCENES), RUNS, key, "written" if refresh else "golden hashes" if key == golden["made"] else "golden centres"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["--refresh"]))
