"""longrun.py LIMBER [--seconds S]: a long run of all four engines. Its memory does not grow after the first tenth, and every
position of every frame is a number."""
import argparse
import array
import json
import math
import os
import time

from trust import OBJECTS, Folder, keep


def resident(pid):
    """kB"""
    with open("/proc/%d/status" % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


def not_a_number(text):
    raise AssertionError("the statistics have %s" % text)


def size_of(folder, name):
    return os.path.getsize(folder.at(name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("--seconds", type=float, default=600)
    args = parser.parse_args()
    with Folder(args.limber, seconds=args.seconds) as folder:
        folder.good("run", "world.json", "--out", "short.lmc", "--seconds", "1", "--quiet")
        whole = size_of(folder, "short.lmc") / 25 * (24 * args.seconds + 1)
        run = folder.start("run", "world.json", "--out", "a.lmc", "--stats", "a.stats", "--quiet", "--threads", "1")
        early = late = 0
        while run.poll() is None:
            try:
                share, memory = size_of(folder, "a.lmc") / whole, resident(run.pid)
            except (OSError, StopIteration):
                share, memory = 0, 0
            if share < 0.1:
                early = max(early, memory)
            elif share > 0.2:
                late = max(late, memory)
            time.sleep(0.02)
        said = run.communicate()[1]
        if run.returncode != 0:
            raise AssertionError("exit code %d: %s" % (run.returncode, said))
        if late > early + 4096:
            raise AssertionError("memory grew from %d to %d kB" % (early, late))
        json.loads(folder.read("a.stats"), parse_constant=not_a_number)
        folder.good("render", "a.lmc", "--out", "{object}.pc2", "--quiet")
        points = 0
        for thing in OBJECTS["world"]:
            numbers = array.array("f", folder.read(thing["name"] + ".pc2")[32:])
            points += len(numbers) // 3
            if not all(map(math.isfinite, numbers)):
                raise AssertionError("%s: not finite" % thing["name"])
            if max(map(abs, numbers)) > 1000:
                raise AssertionError("%s: is %g m away" % (thing["name"], max(map(abs, numbers))))
    keep("longrun", seconds=args.seconds, engines=4, positions=points, kB_early=early, kB_late=late)


main()
