"""interrupts.py LIMBER [--rounds N]: Ctrl-C and SIGTERM in every phase of every verb.

Each command would work for minutes. When it is in the phase that is meant, it gets the signal, a little later than the time
before. It must end with the signal's exit code, after little work: what counts is the processor time after the signal,
because a busy machine makes no difference to that. How long it took by the clock is printed."""
import argparse
import json
import os
import resource
import signal
import subprocess
import time

from trust import Folder, keep, sheet

SOON = 0.05  # s of work in a phase before the first signal
WORK = 3.0  # s of processor time after the signal; a second, and what a slow machine may add


def processor_time(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def listens(run):
    """Whether the program handles signals itself by now."""
    with open("/proc/%d/status" % run.pid) as f:
        mask = next((int(line.split()[1], 16) for line in f if line.startswith("SigCgt:")), 0)
    return bool(mask >> (signal.SIGINT - 1) & 1)


def has_open(run, name):
    folder = "/proc/%d/fd" % run.pid
    try:
        return any(name in os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder))
    except OSError:
        return False


def has_child(run):
    with open("/proc/%d/task/%d/children" % (run.pid, run.pid)) as f:
        return bool(f.read().split())


def phases(folder):
    """name: (words, when it is in that phase)"""
    plane = [{"shape": "plane", "position": [0, -9, 0]}]

    def scene(name, engine, mesh, seconds=500, **more):
        folder.write(name, json.dumps({"limber": 1, "seconds": seconds, "size": [64, 64], "colliders": plane,
                                       "objects": [{"name": "a", "engine": engine, "mesh": mesh, **more}]}))
        return name

    with open(folder.at("large.obj"), "wb") as f:
        for _ in range(200):
            f.write(b"v 0.123456789 1.5 -2.25\n" * 50000)
    folder.write("fine.obj", sheet(90))
    folder.write("handles.json", json.dumps({"handles": [{"near": [0, 0, 0]}, {"near": [1, 1, 1], "by": [0.2, 0, 0]}]}))
    scene("short.json", "match", "block.obj", seconds=40, lattice={"vertices": 200, "fit": False})
    folder.good("run", "short.json", "--out", "in.lmc", "--quiet")
    lattice = scene("lattice.json", "match", "block.obj", lattice={"vertices": 8000000, "fit": False})
    cloth = scene("cloth.json", "track", "fine.obj")
    character = scene("character.json", "act", "block.obj", lattice={"vertices": 3000, "fit": False}, act={"control": "full"})
    body = scene("body.json", "match", "block.obj", lattice={"vertices": 3000, "fit": False})
    motion = scene("motion.json", "design", "block.obj", seconds=10, design={
        "nodes": 400, "voxels": 400000, "frames": 200,
        "keys": [{"time": 0}, {"time": 5, "position": [4, 1, 0], "rotation": {"axis": [0, 1, 0], "degrees": 170}}, {"time": 10}]})

    def run(name):
        return ["run", name, "--out", "x.lmc", "--threads", "1"]

    caches = lambda r: os.path.exists(folder.at("x.lmc"))
    found = {
        "reading a pipe": (["info", "-"], lambda r: has_open(r, "pipe")),
        "reading a mesh": (["mesh", "large.obj", "--out", "x.msh"], lambda r: has_open(r, "large.obj")),
        "meshing": (["mesh", "block.obj", "--out", "x.msh", "--vertices", "9000000"], listens),
        "meshing for check": (["check", lattice], listens),
        "meshing for run": (run(lattice), listens),
        "preparing design": (run(motion), caches),
        "preparing a pose": (["pose", "block.obj", "--handles", "handles.json", "--out", "x.obj", "--nodes", "1000"], listens),
        "steps of match": (run(body), caches),
        "optimising act": (run(character), caches),
        "Newton of track": (run(cloth), caches),
        "rendering": (["render", "in.lmc", "--out", "x.png", "--size", "8000x8000", "--threads", "1"],
                      lambda r: has_open(r, "in.lmc")),
        "rendering many": (["render", "in.lmc", "--out", "x-{frame}.png", "--size", "900x900", "--threads", "1"],
                           lambda r: os.path.exists(folder.at("x-0001.png"))),
        "encoding": (["render", "in.lmc", "--out", "x.mp4", "--size", "900x900", "--threads", "1"], has_child),
        "writing meshes": (["render", "in.lmc", "--out", "x-{frame}-{object}.obj"],
                           lambda r: os.path.exists(folder.at("x-0001-a.obj"))),
        "drawing regions": (["regions", lattice, "--out", "x.png"], listens),
        "repeating a take": (["take", body, "in.take", "--out", "y.json"], lambda r: has_open(r, "x") or listens(r)),
    }
    folder.good("run", body, "--out", "y.lmc", "--seconds", "0.04", "--stats", "in.stats", "--quiet")
    stats = json.loads(folder.read("in.stats"))
    folder.write("in.take", json.dumps({"take": 1, "scene": stats["fingerprint"], "simd": stats["simd"], "fps": 24}) +
                 '\n{"do": "push", "object": "a", "triangle": 0, "at": [1, 0, 0], "impulse": [1, 0, 0], "frame": 90000}\n')
    if subprocess.run(["which", "ffmpeg"], stdout=subprocess.DEVNULL).returncode != 0:
        del found["encoding"]
    return found


def clear(folder):
    for name in os.listdir(folder.path):
        if name.startswith("x"):
            os.remove(folder.at(name))


def done_before(run, name, said, delay):
    if delay < SOON:
        raise AssertionError("%s: ended before, with exit code %d: %s" % (name, run.returncode, said))


def interrupt(folder, name, words, reached, number, delay):
    """Seconds by the clock and of the processor until the command had ended; None when it was done before."""
    clear(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = folder.start(*words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    while run.poll() is None and not (listens(run) and reached(run)):
        time.sleep(0.002)
    target = processor_time(run.pid) + delay if run.poll() is None else 0
    while run.poll() is None and processor_time(run.pid) < target and "pipe" not in name:
        time.sleep(0.002)
    if run.poll() is not None:
        return done_before(run, name, run.communicate()[1], delay)
    worked, begin = processor_time(run.pid), time.monotonic()
    run.send_signal(number)
    kept, run.stdin = run.stdin, None  # stays open
    said = run.communicate(timeout=3000)[1]
    kept.close()
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - worked
    if run.returncode != 128 + number and seconds < 0.1:
        return done_before(run, name, said, delay)  # in the same moment
    if run.returncode != 128 + number or "limber: " not in said:
        raise AssertionError("%s: exit code %d: %s" % (name, run.returncode, said))
    if worked > WORK:
        raise AssertionError("%s: worked for %.1f s more" % (name, worked))
    left = [n for n in os.listdir(folder.path) if n.startswith("x") and not n.startswith(("x-", "x.lmc")) and ".tmp" not in n]
    if left:
        raise AssertionError("%s: left %s" % (name, left))
    return seconds, worked


def deaf_reader(folder):
    """Somebody who asked for stderr does not read it: the program waits for that, and still hears."""
    folder.write("bad.json", json.dumps({"limber": 1, "objects": [{"name": "a%d" % i, "nonsense": 1} for i in range(3000)]}))
    run = folder.start("check", "bad.json")
    while not listens(run):
        time.sleep(0.002)
    while True:  # until the pipe is full
        with open("/proc/%d/wchan" % run.pid) as f:
            if "pipe" in f.read():
                break
        if run.poll() is not None:
            raise AssertionError("it did not fill the pipe")
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    code = run.wait(3000)
    run.stderr.close()
    if code != 130:
        raise AssertionError("a reader that does not read: exit code %d" % code)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    worst = {}
    with Folder(args.limber) as folder:
        found = phases(folder)
        deaf_reader(folder)
        for k in range(args.rounds):
            for name, (words, reached) in found.items():
                number = signal.SIGINT if k % 2 == 0 else signal.SIGTERM
                delay, heard = SOON + 0.17 * k, None
                while heard is None:  # a fast machine is done before: sooner, then
                    heard = interrupt(folder, name, words, reached, number, delay)
                    delay *= 0.5
                worst[name] = max(worst.get(name, (0, 0)), heard)
        for name, (seconds, worked) in worst.items():
            print("interrupts: %-20s %.2f s by the clock, %.2f s of the processor" % (name, seconds, worked))
    keep("interrupts", phases=len(worst), signals=len(worst) * args.rounds,
         seconds_at_most=round(max(s for s, _ in worst.values()), 2),
         load_of_the_machine=round(os.getloadavg()[0], 1), processors=os.cpu_count())


main()
