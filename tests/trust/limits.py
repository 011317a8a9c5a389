"""limits.py LIMBER SHIM [--all]: the limits that docs and messages name are those of the program, and what takes long is said.

--all also goes to the ends that take minutes: a lattice of ten million vertices, ten thousand objects."""
import argparse
import json
import os
import re
import resource

from mutants import mend_sums
from trust import Folder, keep


def many(count):
    return {"limber": 1, "seconds": 0.1, "objects": [
        {"name": "a%d" % i, "engine": "match", "mesh": "block.obj", "position": [2 * (i % 100), 0, 2 * (i // 100)],
         "lattice": {"vertices": 20, "fit": False}} for i in range(count)]}


def estimates(folder, _shim):
    """check says how large the cache of a run gets, to the byte that is shown, and how long it takes."""
    for scene in "match", "act", "track", "design", "world":
        said = folder.says("check", scene + ".json")
        found = re.search(r"a run: ([0-9.]+) (bytes|kB|MB) of cache, (about|more than|preparing it takes more than) [0-9.]+ s", said)
        if found is None:
            raise AssertionError("check of %s says: %s" % (scene, said))
        folder.good("run", scene + ".json", "--out", "x.lmc", "--quiet")
        size = os.path.getsize(folder.at("x.lmc")) / {"bytes": 1, "kB": 1e3, "MB": 1e6}[found.group(2)]
        if abs(float(found.group(1)) - size) > 0.5:
            raise AssertionError("%s: %s, but the cache has %g %s" % (scene, found.group(0), size, found.group(2)))


def room(folder, _shim):
    """A run that does not fit on the disk says so before it starts, as does one whose point caches do not fit."""
    folder.write("long.json", json.dumps({**json.loads(folder.read("match.json")), "seconds": 86400}))
    for outputs in (["--out", "r.lmc"], ["--out", "r.lmc", "--out", "r-{object}-{frame}.ply"]):
        code, said = folder.run("run", "long.json", *outputs, preexec_fn=small_files)
        if code != 1 or "there is room for" not in said or os.path.exists(folder.at("r.lmc")):
            raise AssertionError("exit code %d: %s" % (code, said))


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000000, 1000000))


def other_builds(folder, _shim):
    """Checkpoints and takes of another build or version."""
    folder.good("run", "match.json", "--out", "b.lmc", "--stats", "b.json", "--quiet")
    checkpoint = folder.read("b.lmc.checkpoint")
    stats = json.loads(folder.read("b.json"))
    for place, byte, words in (7, b"0", "another version of limber"), (8, bytes([checkpoint[8] ^ 1]), "another build of limber"):
        damaged = mend_sums("b.lmc.checkpoint", checkpoint[:place] + byte + checkpoint[place + 1:])
        folder.write("b.lmc.checkpoint", damaged)
        code, said = folder.run("run", "match.json", "--out", "b.lmc", "--resume", "--seconds", "3")
        if code != 2 or words not in said or "run without --resume" not in said:
            raise AssertionError("exit code %d: %s" % (code, said))
        if folder.read("b.lmc.checkpoint") != damaged:
            raise AssertionError("it was replaced")
    head = {"take": 1, "scene": stats["fingerprint"], "simd": stats["simd"], "fps": 24}
    wrong = json.dumps(head) + '\n{"hash": "0123456789abcdef", "frame": 2}\n'
    for text, wanted, words in ((wrong, 1, "another build of limber has recorded it"),
                                (wrong.replace('"take": 1', '"take": 2'), 2, "is a take of version 2")):
        folder.write("b.take", text)
        code, said = folder.run("run", "match.json", "--take", "b.take", "--out", "x.lmc")
        if code != wanted or words not in said:
            raise AssertionError("exit code %d: %s" % (code, said))


def advice(folder, shim):
    """After a failed export the sentence names the command that makes this output."""
    code, said = folder.run("run", "match.json", "--out", "x.lmc", "--out", "x.png", "--out", "z.png", "--quiet",
                            env={**shim, "SHIM_FAIL_NAME": "x.png"})
    if code != 1 or "`limber render x.lmc --out 'x.png'` makes it" not in said or not os.path.exists(folder.at("z.png")):
        raise AssertionError("exit code %d: %s" % (code, said))


def long_work(folder, shim):
    """Whatever takes more than a few seconds is said where no bar is drawn; here the clock goes fast."""
    folder.write("many.json", json.dumps(many(150)))
    code, said = folder.run("check", "many.json", env={**shim, "SHIM_CLOCK": "1"})
    if code != 0 or not re.search(r"(reading|making bodies).* takes long: \d+ % after", said):
        raise AssertionError("exit code %d: %s" % (code, said))


def ends(folder, _shim):
    """Numbers that docs/scene.schema.json allows are possible, and one more is refused at once."""
    folder.write("many.json", json.dumps(many(10001)))
    code, said = folder.run("check", "many.json")
    if code != 2 or "10000" not in said:
        raise AssertionError("exit code %d: %s" % (code, said))
    folder.write("many.json", json.dumps(many(10000)))
    if "good: 10000 objects" not in folder.says("check", "many.json"):
        raise AssertionError("ten thousand objects are not good")
    folder.good("mesh", "block.obj", "--vertices", "10000000", "--out", "x.msh")
    code, said = folder.run("mesh", "block.obj", "--vertices", "10000001", "--out", "x.msh")
    if code != 2:
        raise AssertionError("exit code %d: %s" % (code, said))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("shim")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    shim = {"LD_PRELOAD": os.path.abspath(args.shim)}
    tests = [estimates, room, other_builds, advice, long_work] + ([ends] if args.all else [])
    with Folder(args.limber, seconds=1) as folder:
        for test in tests:
            test(folder, shim)
    keep("limits", checks=len(tests))


if __name__ == "__main__":
    main()
