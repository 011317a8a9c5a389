"""How often the letters that hop arrive, from starts shifted by up to 6 cm. No test (it takes minutes): it prints the numbers of
docs/act.md. Usage: letter_starts.py LIMBER SOURCE [STARTS]"""

import json
import os
import subprocess
import sys
import tempfile

limber, source = sys.argv[1], sys.argv[2]
starts = int(sys.argv[3]) if len(sys.argv) > 3 else 61
with open(os.path.join(source, "gallery", "act", "letters.json")) as f:
    text = f.read().replace("../assets", os.path.join(source, "gallery", "assets"))


def run(name, shift, folder):
    """One letter alone: how far it ends from its place, its statistics, and whether they are as test_troupe.py wants them."""
    scene = json.loads(text)
    letter, = scene["objects"] = [o for o in scene["objects"] if o["name"] == name]
    letter["position"][0] += shift
    with open(os.path.join(folder, "scene.json"), "w") as f:
        json.dump(scene, f)
    stats = os.path.join(folder, "stats.json")
    subprocess.run([limber, "run", os.path.join(folder, "scene.json"), "--out", os.path.join(folder, "a.lmc"), "--stats", stats,
                    "--quiet"], check=True)
    with open(stats) as f:
        o = json.load(f)["objects"][0]
    off = abs(o["com_end"][0] - letter["act"]["commands"][-1]["to"][0])
    return off, o, off < 0.05 and o["tilt_end"] < 0.1 and o["tilt_max"] < 0.6 and o["hops"] >= 8


with tempfile.TemporaryDirectory(prefix="limber-letters-") as folder:
    for name in ("I", "P"):
        runs = [run(name, 0.12 * k / (starts - 1) - 0.06, folder) for k in range(starts)]
        print("%s: of %d starts %d fail, %d of them by falling; %.3f m from its place on average" % (
            name, starts, sum(not fine for _, _, fine in runs), sum(o["tilt_end"] > 0.5 for _, o, _ in runs),
            sum(off for off, _, _ in runs) / starts))
