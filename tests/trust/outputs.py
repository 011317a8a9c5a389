"""outputs.py LIMBER SHIM [--calls N]: every kind of output on disks that fail.

Each command is run with each of its calls that change a file failing in turn (at most N of them, spread evenly): the disk
full, the quota used up, the device broken. Then on a real full disk and a read-only one where file systems can be mounted,
with a limit on the size of files, and with nobody listening at its standard output. It must end with exit code 1 and a
sentence, or be done; the file under the final name is the old one or the whole new one; nothing temporary is left."""
import argparse
import errno
import json
import os
import resource
import subprocess

from trust import Folder, keep

FULL, QUOTA, BROKEN = errno.ENOSPC, errno.EDQUOT, errno.EIO
VIDEOS = {"mp4", "webm", "gif"}


def commands(folder):
    """{kind: (words, name of the output)}; the inputs are made here."""
    folder.good("run", "match.json", "--out", "in.lmc", "--stats", "in.json", "--quiet")
    folder.good("run", "track.json", "--out", "cloth.lmc", "--quiet")
    stats = json.loads(folder.read("in.json"))
    folder.write("in.take", json.dumps({"take": 1, "scene": stats["fingerprint"], "simd": stats["simd"], "fps": 24}) +
                 '\n{"do": "push", "object": "low", "triangle": 0, "at": [1, 0, 0], "impulse": [1, 0, 0], "frame": 2}\n')
    folder.write("handles.json", json.dumps({"handles": [{"near": [0, 0, 0]}, {"near": [1, 1, 1], "by": [0.2, 0, 0]}]}))
    found = {kind: (["render", "in.lmc", "--out", "x." + kind, "--quiet"], "x." + kind)
             for kind in ("png", "mp4", "webm", "gif")}
    found["sheet"] = ["render", "in.lmc", "--out", "x.png", "--sheet", "--quiet"], "x.png"
    found["pictures"] = ["render", "in.lmc", "--out", "x-{frame}.png", "--quiet"], "x-0002.png"
    for kind in "pc2", "mdd", "obj", "ply", "stl":
        found[kind] = ["render", "cloth.lmc", "--out", "x." + kind, "--quiet"], "x." + kind
    found["meshes"] = ["render", "in.lmc", "--out", "x-{object}-{frame}.obj", "--quiet"], "x-low-0002.obj"
    run = ["run", "match.json", "--out", "run.lmc", "--quiet", "--threads", "1"]
    found["cache"] = run, "run.lmc"
    found["statistics"] = run + ["--stats", "x.json"], "x.json"
    found["numbers"] = run + ["--stats-frames", "x.csv"], "x.csv"
    found["msh"] = ["mesh", "block.obj", "--out", "x.msh"], "x.msh"
    found["node"] = ["mesh", "block.obj", "--out", "x.node"], "x.ele"
    found["pose"] = ["pose", "block.obj", "--handles", "handles.json", "--out", "x.obj", "--nodes", "10"], "x.obj"
    found["regions"] = ["regions", "match.json", "--out", "x.json"], "x.json"
    found["regions_picture"] = ["regions", "match.json", "--out", "x.png"], "x.png"
    found["character"] = ["character", "block.obj", "--do", "stand", "--out", "x.json"], "x.json"
    found["take"] = ["take", "match.json", "in.take", "--out", "x.json"], "x.json"
    return found


def clear(folder):
    for name in os.listdir(folder.path):
        if name.startswith(("x", "run.")):
            os.remove(folder.at(name))


def same(kind, found, whole):
    """Times that a run took are in its statistics and numbers."""
    if kind == "statistics":
        return found.startswith(b"{") and found.rstrip().endswith(b"}")
    if kind == "numbers":
        return found.count(b"\n") == whole.count(b"\n")
    return found == whole


def judge(folder, kind, words, output, whole, code, said, how):
    left = [name for name in os.listdir(folder.path) if ".tmp" in name]
    there = folder.read(output) if os.path.exists(folder.at(output)) else None
    if code not in (0, 1) or (code == 1 and "limber: " not in said) or left:
        raise AssertionError("%s, %s: exit code %d, left %s: %s" % (kind, how, code, left, said))
    if code == 0 and not same(kind, there or b"", whole):
        raise AssertionError("%s, %s: exit code 0, but it is not whole: %s" % (kind, how, said))
    if kind == "cache":  # frames are kept one by one: it goes on where the disk works again
        folder.good(*words, "--resume")
        if folder.read(output) != whole:
            raise AssertionError("%s, %s: differs when resumed" % (kind, how))
    elif code == 1 and there is not None and there != b"old" and not same(kind, there, whole):
        raise AssertionError("%s, %s: torn: %s" % (kind, how, said))


def try_calls(folder, shim, kind, words, output, whole, most):
    folder.run(*words, env={"LD_PRELOAD": shim, "SHIM_COUNT": folder.at("count")})
    count = int(folder.read("count"))
    if count == 0:
        raise AssertionError("%s: the shim has seen nothing" % kind)
    tried = min(most, count)
    chosen = sorted({1 + k * (count - 1) // max(tried - 1, 1) for k in range(tried)})
    failed = 0
    for at in chosen:
        for code, lasts in ((FULL, "+"),) if most < 10 else ((FULL, "+"), (QUOTA, "+"), (BROKEN, "")):
            clear(folder)
            if kind != "cache":
                folder.write(output, b"old")
            result, said = folder.run(*words, env={"LD_PRELOAD": shim, "SHIM_FAIL": "%d%s:%d" % (at, lasts, code)})
            judge(folder, kind, words, output, whole, result, said, "call %d of %d, error %d" % (at, count, code))
            failed += result == 1
    if failed == 0:
        raise AssertionError("%s: no call made it fail" % kind)
    return len(chosen), failed


def try_limits(folder, kind, words, output, whole, all_of_them):
    """A limit on the size of files, as quotas and some file systems have."""
    limits = (0, len(whole) // 2, len(whole) - 1)
    for limit in limits if all_of_them else limits[2:]:
        clear(folder)
        code, said = folder.run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        judge(folder, kind, words, output, whole, code, said, "files of %d bytes" % limit)
        if code == 0 and kind not in ("node", "pictures", "meshes"):
            raise AssertionError("%s: done with files of %d bytes" % (kind, limit))
    return 3 if all_of_them else 1


def can_mount():
    return subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], stderr=subprocess.DEVNULL).returncode == 0


def try_disk(folder, kind, words, output, state):
    """In a file system of its own: the inputs lie outside, the output inside."""
    inside = [word if word != output and "{" not in word else "disk/" + word for word in words]
    if kind in ("cache", "statistics", "numbers"):
        inside = ["disk/" + word if word.startswith(("run.", "x")) else word for word in words]
    if kind == "node":
        inside = [word.replace("x.node", "disk/x.node") for word in words]
    if kind == "take":
        return 0  # it must lie beside its scene
    script = ("mount -t tmpfs -o size=64k tmpfs disk || exit 99; %s \"$@\"; code=$?; ls -A disk >&2; exit $code" %
              ("mount -o remount,ro disk;" if state == "read-only" else "cat /dev/zero >disk/rest 2>/dev/null;"))
    os.makedirs(folder.at("disk"), exist_ok=True)
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", folder.limber, *inside], cwd=folder.path, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    names = [line for line in done.stderr.split("\n") if " " not in line]
    if done.returncode != 1 or "limber: disk" not in done.stderr or any(".tmp" in name for name in names):
        raise AssertionError("%s, disk %s: exit code %d: %s" % (kind, state, done.returncode, done.stderr))
    if kind != "cache" and output in names:
        raise AssertionError("%s, disk %s: is there: %s" % (kind, state, done.stderr))
    return 1


def try_streams(folder):
    """Nobody reads the standard output, or it cannot be written: exit code 1, or the work is done; no signal ends it."""
    tries = 0
    for words in (["check", "match.json"], ["info", "in.lmc", "block.obj", "match.json"], ["gallery", "--list"], ["--help"],
                  ["--version"], ["mesh", "block.obj", "--out", "x.msh"], ["run", "--help"],
                  ["pose", "block.obj", "--handles", "handles.json", "--out", "x.obj"]):
        read, write = os.pipe()
        os.close(read)
        with open("/dev/full", "w") as full:
            for stream in write, full:
                code, said = folder.run(*words, stdout=stream)
                if code != 1 or (stream is full and "cannot be written" not in said):
                    raise AssertionError("%s: exit code %d: %s" % (words, code, said))
                tries += 1
        os.close(write)
    return tries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("shim")
    parser.add_argument("--calls", type=int, default=3)
    args = parser.parse_args()
    sums = {"kinds": 0, "failing_calls": 0, "failures": 0, "limits": 0, "disks": 0, "streams": 0}
    mounts = can_mount()
    with Folder(args.limber, seconds=0.2) as folder:
        for kind, (words, output) in commands(folder).items():
            if kind in VIDEOS and subprocess.run(["which", "ffmpeg"], stdout=subprocess.DEVNULL).returncode != 0:
                continue
            clear(folder)
            folder.good(*words)
            whole = folder.read(output)
            calls, failed = try_calls(folder, os.path.abspath(args.shim), kind, words, output, whole, args.calls)
            sums["kinds"] += 1
            sums["failing_calls"] += calls
            sums["failures"] += failed
            sums["limits"] += try_limits(folder, kind, words, output, whole, args.calls > 10)
            clear(folder)
            if mounts:
                sums["disks"] += try_disk(folder, kind, words, output, "full")
                sums["disks"] += try_disk(folder, kind, words, output, "read-only")
        sums["streams"] = try_streams(folder)
    if not mounts:
        print("outputs: no file system can be mounted here: full and read-only disks are played by the shim alone")
    keep("outputs", **sums)


main()
