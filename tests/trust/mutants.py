"""mutants.py LIMBER [--mutants N] [--seed S]: damaged files of every kind, given to every verb that reads them.

Bits are flipped, pieces cut out, doubled, moved or replaced by numbers that nobody expects; check sums are made right again
in half of the checkpoints and caches. limber must end with one of its exit codes and a sentence, never by a signal: the
sanitizers of the build that runs it turn what is read or computed wrongly into one."""
import argparse
import json
import os
import re
import signal
import struct
from random import Random

from trust import Folder, keep

START = 0xcbf29ce484222325  # LM_HASH_START
NUMBERS = [b"-1", b"0", b"1e308", b"-1e308", b"nan", b"1e-320", b"2147483648", b"99999999999999999999", b"0.5", b"{", b"[]",
           b"null", b"\"\"", b"true"]
WORDS = [struct.pack("<i", n) for n in (-1, 0, 1, 2 ** 31 - 1, -2 ** 31, 65536)] + \
    [struct.pack("<d", x) for x in (float("nan"), float("inf"), 1e300, -1e300, 1e-320)] + \
    [struct.pack("<f", x) for x in (float("nan"), float("inf"), 3e38)]


def sum_of(data):
    """lm_hash of src/base/hash.c."""
    hash_, mask = START, 2 ** 64 - 1
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole] + data[whole:].ljust(8, b"\0") + struct.pack("<Q", len(data))):
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15 & mask
        hash_ ^= hash_ >> 32
    return struct.pack("<Q", hash_)


def mend_sums(name, data):
    """Makes the sums of a checkpoint or cache right, so that what is behind them is looked at."""
    data = bytearray(data)
    if name.endswith(".checkpoint") and len(data) > 8:
        data[-8:] = sum_of(bytes(data[:-8]))
    if name.endswith(".lmc") and len(data) >= 40:
        head, frame = struct.unpack_from("<QQ", data, 16)
        if 40 <= head <= len(data):
            data[head - 8:head] = sum_of(bytes(data[:head - 8]))
            for at in range(head, len(data) - frame + 1, frame) if frame >= 16 else ():
                data[at + frame - 8:at + frame] = sum_of(bytes(data[at:at + frame - 8]))
    return bytes(data)


def mutate(data, random):
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        if not data:
            break
        at, kind = random.randrange(len(data)), random.randrange(8)
        if kind == 0:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[at] = random.randrange(256)
        elif kind == 2:
            del data[at:at + random.choice((1, 4, 50, 1000))]
        elif kind == 3:
            piece = data[at:at + random.choice((1, 8, 100))]
            data[at:at] = piece * random.choice((1, 2, 30))
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            word = random.choice(WORDS)
            data[at:at + len(word)] = word
        elif kind == 6:
            other = random.randrange(len(data))
            data[at:at + 20], data[other:other + 20] = data[other:other + 20], data[at:at + 20]
        else:  # a number of a text
            found = [m.span() for m in re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", bytes(data[:20000]))]
            if found:
                first, last = random.choice(found)
                data[first:last] = random.choice(NUMBERS)
    return bytes(data)


def make_inputs(folder):
    """{name of a file: commands that read it}."""
    folder.good("run", "world.json", "--out", "in.lmc", "--stats", "in.stats", "--seconds", "0.2", "--quiet")
    folder.good("mesh", "block.obj", "--out", "block.msh", "--vertices", "60")
    folder.good("mesh", "block.obj", "--out", "block.node", "--vertices", "60")
    for kind in "ply", "stl":
        folder.good("render", "cloth.lmc", "--out", "sheet." + kind, "--quiet")
    for kind in "pc2", "mdd":
        folder.good("render", "cloth.lmc", "--out", "guide." + kind, "--quiet")
    stats = json.loads(folder.read("in.stats"))
    lines = [{"take": 1, "scene": stats["fingerprint"], "simd": stats["simd"], "fps": 24},
             {"do": "grab", "object": "low", "id": 1, "triangle": 0, "at": [1, 0, 0], "frame": 1},
             {"do": "move", "id": 1, "to": [0.1, 1.2, 0], "frame": 2}, {"do": "release", "id": 1, "frame": 3}]
    folder.write("a.take", "\n".join(json.dumps(line) for line in lines) + "\n")
    folder.write("handles.json", json.dumps({"handles": [{"near": [0, 0, 0]}, {"near": [1, 1, 1], "by": [0.2, 0, 0]}]}))
    short = ["--seconds", "0.08", "--quiet", "--threads", "1"]

    def scene(name, engine, mesh, **more):
        folder.write(name, json.dumps({"limber": 1, "seconds": 0.1, "size": [32, 32],
                                       "colliders": [{"shape": "plane", "position": [0, -9, 0]}],
                                       "objects": [{"name": "a", "engine": engine, "mesh": mesh, **more}]}))
        return ["run", name, "--out", "out.lmc", *short]

    found = {name + ".json": [["check", name + ".json"], ["run", name + ".json", "--out", "out.lmc", *short]]
             for name in ("match", "act", "track", "design", "world")}
    for name in "match", "track", "design":
        found[name + ".json"].append(["regions", name + ".json", "--out", "out.json"])
    design = {"nodes": 8, "voxels": 1000, "frames": 4, "keys": [{"time": 0}, {"time": 0.1, "position": [0, 1, 0]}]}
    found["block.obj"] = [["info", "block.obj"], ["mesh", "block.obj", "--out", "out.msh", "--vertices", "60"],
                          ["character", "block.obj", "--do", "stand", "--out", "out.json"],
                          ["pose", "block.obj", "--handles", "handles.json", "--out", "out.obj", "--nodes", "8"],
                          scene("obj.json", "match", "block.obj", lattice={"vertices": 60, "fit": False}),
                          scene("figure.json", "design", "block.obj", design=design)]
    found["sheet.ply"] = [["info", "sheet.ply"], scene("ply.json", "track", "sheet.ply")]
    found["sheet.stl"] = [["info", "sheet.stl"], scene("stl.json", "track", "sheet.stl")]
    found["block.msh"] = [["info", "block.msh"], scene("msh.json", "match", "block.msh")]
    found["block.node"] = [["info", "block.node"], scene("node.json", "match", "block.node")]
    found["block.ele"] = [["info", "block.ele"], scene("ele.json", "match", "block.node")]
    for kind in "pc2", "mdd":
        found["guide." + kind] = [["info", "guide." + kind],
                                  scene(kind + ".json", "track", "sheet.obj", track={"guide": {"file": "guide." + kind}})]
    found["in.lmc"] = [["info", "in.lmc"], ["render", "in.lmc", "--out", "out.png", "--quiet", "--size", "32x32"],
                       ["render", "in.lmc", "--out", "out-{object}.pc2", "--quiet"],
                       ["run", "world.json", "--out", "in.lmc", "--resume", "--seconds", "0.25", "--quiet"]]
    found["in.lmc.checkpoint"] = [["run", "world.json", "--out", "in.lmc", "--resume", "--seconds", "0.25", "--quiet"]]
    found["a.take"] = [["run", "world.json", "--take", "a.take", "--out", "out.lmc", "--quiet"],
                       ["take", "world.json", "a.take", "--out", "out.json"]]
    found["handles.json"] = [["pose", "block.obj", "--handles", "handles.json", "--out", "out.obj", "--nodes", "8"]]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    env = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1", "UBSAN_OPTIONS": "abort_on_error=1"}
    sums = {"mutants": 0, "refused": 0, "taken": 0}
    with Folder(args.limber, seconds=1) as folder:
        folder.good("run", "track.json", "--out", "cloth.lmc", "--quiet")
        inputs = make_inputs(folder)
        for name, commands in inputs.items():  # whole files are taken: else nothing is tested
            for words in commands:
                folder.good(*words)
        kept = {name: folder.read(name) for name in os.listdir(folder.path)}
        sums["kinds"] = len(inputs)
        sanitized = b"__asan_init" in open(folder.limber, "rb").read()
        for number in range(args.mutants):
            random = Random("%d %d" % (args.seed, number))
            name = list(inputs)[number % len(inputs)]
            words = random.choice(inputs[name])
            for other in os.listdir(folder.path):
                if other not in kept:
                    os.remove(folder.at(other))
            for other in ("in.lmc", "in.lmc.checkpoint", "out.lmc"):
                folder.write(other, kept[other])
            damaged = mutate(kept[name], random)
            folder.write(name, mend_sums(name, damaged) if random.random() < 0.5 else damaged)
            code, said = folder.run(*words, env=env)
            if code not in (0, 1, 2) or (code != 0 and "limber: " not in said):
                raise AssertionError("mutant %d (seed %d), %s by %s: %s\n%s" % (number, args.seed, name, " ".join(words),
                                     "exit code %d" % code if code >= 0 else signal.Signals(-code).name, said[-3000:]))
            folder.write(name, kept[name])
            sums["mutants"] += 1
            sums["taken" if code == 0 else "refused"] += 1
    keep("mutants_sanitized" if sanitized else "mutants", **sums)


if __name__ == "__main__":
    main()
