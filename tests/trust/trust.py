"""What the tests of this folder share: small scenes of every engine, running limber, and figures of the last run."""
import json
import os
import random
import shutil
import subprocess
import tempfile

BLOCK = ("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
         "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n")


def sheet(count):
    """A square of count x count quads that lies flat."""
    lines = ["v %g %g 0" % (x / count, y / count) for y in range(count + 1) for x in range(count + 1)]
    for y in range(count):
        for x in range(count):
            a = y * (count + 1) + x + 1
            lines.append("f %d %d %d %d" % (a, a + 1, a + count + 2, a + count + 1))
    return "\n".join(lines) + "\n"


OBJECTS = {
    "match": [{"name": "low", "engine": "match", "mesh": "block.obj", "position": [0, 0.4, 0],
               "lattice": {"vertices": 150, "fit": False}},
              {"name": "high", "engine": "match", "mesh": "block.obj", "position": [0.2, 1.9, 0],
               "lattice": {"vertices": 60, "fit": False}}],
    "act": [{"name": "actor", "engine": "act", "mesh": "sheet.obj", "position": [3, 0.02, 0],
             "act": {"model": "solid2", "control": "full", "commands": [{"do": "hop", "velocity": [0.3, 1, 0]}]}}],
    "track": [{"name": "cloth", "engine": "track", "mesh": "sheet.obj", "position": [-3, 1, 0],
               "track": {"drape": {}}}],
    "design": [{"name": "mover", "engine": "design", "mesh": "block.obj", "position": [-6, 1, 0],
                "design": {"nodes": 8, "voxels": 1000, "frames": 4,
                           "keys": [{"time": 0}, {"time": 1, "position": [-6, 2, 0]}]}}],
}
OBJECTS["track"][0]["track"] = {}
OBJECTS["world"] = OBJECTS["match"] + OBJECTS["act"] + OBJECTS["track"] + OBJECTS["design"]


class Folder:
    """A folder of its own with the scenes in it; a context manager."""

    def __init__(self, limber, seconds=2.0, within=None):
        self.limber = os.path.abspath(limber)
        self.path = tempfile.mkdtemp(prefix="limber-trust-", dir=within)
        self.write("block.obj", BLOCK)
        self.write("sheet.obj", sheet(2))
        for name, objects in OBJECTS.items():
            self.write(name + ".json", json.dumps({"limber": 1, "seconds": seconds, "size": [64, 48],
                                                   "colliders": [{"shape": "plane"}], "objects": objects}))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, data):
        with open(self.at(name), "wb" if isinstance(data, bytes) else "w") as f:
            f.write(data)

    def read(self, name):
        with open(self.at(name), "rb") as f:
            return f.read()

    def start(self, *words, env=None, **more):
        return subprocess.Popen([self.limber, *words], cwd=self.path, text=True, stderr=subprocess.PIPE,
                                env={**os.environ, "OMP_WAIT_POLICY": "passive", **(env or {})}, **more)

    def run(self, *words, env=None, **more):
        """(exit code, what it said)."""
        done = subprocess.run([self.limber, *words], cwd=self.path, text=True, stderr=subprocess.PIPE, errors="replace",
                              env={**os.environ, "OMP_WAIT_POLICY": "passive", **(env or {})},
                              **{"stdout": subprocess.DEVNULL, "timeout": 3000, **more})
        return done.returncode, done.stderr

    def says(self, *words):
        """What it says on its standard output, and it must be good."""
        return subprocess.run([self.limber, *words], cwd=self.path, text=True, stdout=subprocess.PIPE, check=True).stdout

    def good(self, *words, **more):
        code, said = self.run(*words, **more)
        if code != 0:
            raise AssertionError("%s: exit code %d: %s" % (" ".join(words), code, said))
        return said


def keep(name, **figures):
    """Prints figures of a test, and keeps them for figures.py: in TRUST_RESULTS, the build's folder trust."""
    print("trust: %s: %s" % (name, ", ".join("%s %s" % (value, what.replace("_", " ")) for what, value in figures.items())))
    folder = os.environ.get("TRUST_RESULTS")
    if folder:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name + ".json"), "w") as f:
            json.dump(figures, f)


def seeded(seed):
    """Random numbers from a seed that is printed, so that a failure can be repeated."""
    print("trust: seed %d" % seed)
    return random.Random(seed)
