"""Signals and many runs on one cache, as a user sees them: exit codes, words, and what is left in the folder."""
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

LIMBER = sys.argv[1]
RUNS = 10


def caught(run):
    """Which of the two signals the process handles itself."""
    with open("/proc/%d/status" % run.pid) as f:
        found = re.search(r"SigCgt:\s*(\w+)", f.read())
    mask = int(found.group(1), 16) if found else 0
    return [bool(mask >> (number - 1) & 1) for number in (signal.SIGINT, signal.SIGTERM)]


class Signals(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="limber-trust-")
        scene = {"limber": 1, "seconds": 80000, "objects": [
            {"name": "block", "engine": "match", "mesh": "block.obj", "lattice": {"vertices": 200}, "match": {}}]}
        with open(self.path("scene.json"), "w") as f:
            json.dump(scene, f)
        with open(self.path("block.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *more):
        return subprocess.Popen([LIMBER, "run", "scene.json", "--out", "a.lmc", "--threads", "1", *more],
                                cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def wait_for_checkpoint(self, run):
        while not os.path.exists(self.path("a.lmc.checkpoint")):
            time.sleep(0.002)
            self.assertIsNone(run.poll(), "ended too early")

    def test_exit_codes(self):
        for number, code in (signal.SIGTERM, 143), (signal.SIGINT, 130):
            run = self.start()
            self.wait_for_checkpoint(run)
            run.send_signal(number)
            said = run.communicate(timeout=3600)[1]
            self.assertEqual(run.returncode, code, said)
            self.assertIn("--resume", said)
            # where the disk is slow the program may end while it writes a checkpoint, which then has its temporary name
            whole = sorted(name for name in os.listdir(self.folder) if ".tmp" not in name)
            self.assertEqual(whole, ["a.lmc", "a.lmc.checkpoint", "block.obj", "scene.json"])
            os.remove(self.path("a.lmc.checkpoint"))

    def test_the_second_signal_ends_at_once(self):
        """After the first neither is handled any more, so that the next one of either kind ends the process."""
        for number in signal.SIGINT, signal.SIGTERM:
            run = self.start()
            self.wait_for_checkpoint(run)
            self.assertEqual(caught(run), [True, True])
            run.send_signal(number)
            mixed = 0  # between the two changes of the handler a look may find one of them
            while run.poll() is None and mixed < 5:
                now = caught(run)
                mixed = mixed + 1 if now[0] != now[1] else 0
            run.communicate(timeout=3600)
            self.assertLess(mixed, 5)
            os.remove(self.path("a.lmc.checkpoint"))

    def test_many_runs_on_one_cache(self):
        for count in 2, RUNS:
            runs = [self.start() for _ in range(count)]
            while sum(run.poll() is None for run in runs) > 1:
                time.sleep(0.01)
            self.assertEqual(sorted(run.poll() or 0 for run in runs), [0] + [1] * (count - 1))
            for run in runs:
                if run.poll() is None:
                    self.wait_for_checkpoint(run)
                    run.send_signal(signal.SIGINT)
                    run.communicate(timeout=3600)
                    self.assertEqual(run.returncode, 130)
                else:
                    self.assertIn("is being written by another run", run.communicate()[1])
            self.assertEqual(sorted(os.listdir(self.folder)), ["a.lmc", "a.lmc.checkpoint", "block.obj", "scene.json"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
