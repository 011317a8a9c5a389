"""What tests of the command share: a folder with a scene in it, runs that end as they shall."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIMBER, SOURCE = sys.argv[1], sys.argv[2]


def cube(path, size=0.2):
    """A block of one cube in six tetrahedra, as TetGen files."""
    corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    with open(path + ".node", "w") as f:
        f.write("8 3 0 0\n")
        for i, c in enumerate(corners):
            f.write("%d %g %g %g\n" % (i, *(size * v for v in c)))
    walks = [(1, 2, 4), (2, 4, 1), (4, 1, 2), (2, 1, 4), (1, 4, 2), (4, 2, 1)]
    with open(path + ".ele", "w") as f:
        f.write("6 4 0\n")
        for i, (a, b, c) in enumerate(walks):
            tet = [0, a, a + b, 7] if i < 3 else [0, a, 7, a + b]
            f.write("%d %d %d %d %d\n" % (i, *tet))


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="limber-cli-")
        cube(self.path("cube"))
        self.scene = {
            "limber": 1, "seconds": 0.5,
            "colliders": [{"name": "ground", "shape": "plane"}],
            "objects": [{"name": "block", "engine": "match", "mesh": "cube.node", "position": [0, 0.5, 0], "match": {}}],
        }

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_scene(self, name="scene.json"):
        with open(self.path(name), "w") as f:
            json.dump(self.scene, f)
        return self.path(name)

    def limber(self, *words, code=0, **kwargs):
        run = subprocess.run([LIMBER, *words], cwd=self.folder, capture_output=True, text=True, timeout=3600, **kwargs)
        self.assertEqual(run.returncode, code, "limber %s\n%s%s" % (" ".join(words), run.stdout, run.stderr))
        self.assertNotRegex(run.stderr, "Sanitizer")
        return run

    def missing(self, problem):
        """What a test needs is not here; where nothing may be missing (`make test-all`) that is a failure."""
        if os.environ.get("LIMBER_NO_SKIPS"):
            raise problem
        self.skipTest(str(problem))

    def bad(self, pattern, *words, code=2, lines=None, **kwargs):
        """Fails with the code and one sentence that matches; leaves no new file."""
        before = sorted(os.listdir(self.folder))
        run = self.limber(*words, code=code, **kwargs)
        self.assertRegex(run.stderr, pattern)
        self.assertTrue(run.stderr.startswith("limber: "), run.stderr)
        if lines is not None:
            self.assertEqual(len(run.stderr.strip().split("\n")), lines, run.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before, "left something behind")
        return run

    def watch(self, child, terminal, until=None):
        """Exit code and screen of a child; interrupts it when the screen shows what is waited for."""
        shown = ""
        try:
            while piece := os.read(terminal, 4096):
                shown += piece.decode(errors="replace")
                if until is not None and re.search(until, shown):
                    os.kill(child, signal.SIGINT)
                    until = None
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown

    def wait_until_caught(self, run, number):
        """Until the process has said that it handles the signal; before, it would just end."""
        while run.poll() is None:
            with open("/proc/%d/status" % run.pid) as f:
                caught = re.search(r"SigCgt:\s*(\w+)", f.read())
            if int(caught.group(1), 16) >> (number - 1) & 1:
                return
            time.sleep(0.002)
        self.fail("ended before it could be interrupted")
