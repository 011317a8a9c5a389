"""Pipes as input, streams that nobody listens to, what killed runs leave, and verbs that are interrupted."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

LIMBER = os.path.abspath(sys.argv[1])
BLOCK = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


class Streams(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="limber-streams-")
        self.scene = json.dumps({"limber": 1, "seconds": 0.1, "objects": [
            {"name": "block", "engine": "match", "mesh": "block.obj", "lattice": {"vertices": 100}, "match": {}}]})
        for name, text in ("scene.json", self.scene), ("block.obj", BLOCK):
            with open(self.path(name), "w") as f:
                f.write(text)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def limber(self, *words, **more):
        return subprocess.run([LIMBER, *words], cwd=self.folder, text=True, stderr=subprocess.PIPE,
                              **{"stdout": subprocess.PIPE, **more})

    def test_the_standard_input_is_read(self):
        for words in ("check", "-"), ("run", "-", "--out", "a.lmc"):
            done = self.limber(*words, input=self.scene)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.limber("mesh", "-", "--out", "a.msh", input=BLOCK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("around 4 triangles", done.stdout)
        self.assertEqual(self.limber("render", "a.lmc", "--out", "a.png", "--size", "64x64").returncode, 0)

    def test_a_pipe_that_nobody_writes_to_is_refused(self):
        os.mkfifo(self.path("pipe"))
        done = self.limber("check", "pipe")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing has come for 5 s", done.stderr)

    def test_streams_that_nobody_reads(self):
        """Closed, and pipes whose other end has gone: the run goes to its end."""
        for name in "a.lmc", "b.lmc":
            read, write = os.pipe()
            os.close(read)
            closed = (lambda: (os.close(1), os.close(2))) if name == "a.lmc" else None
            run = subprocess.Popen([LIMBER, "run", "scene.json", "--out", name], cwd=self.folder, stdout=write,
                                   stderr=write, preexec_fn=closed)
            os.close(write)
            self.assertEqual(run.wait(3600), 0)
            self.assertTrue(os.path.exists(self.path(name)))

    def test_words_do_not_go_into_files(self):
        """Where stderr is closed the next file to be opened would take its place, here the cache that is gone on with."""
        self.assertEqual(self.limber("run", "scene.json", "--out", "a.lmc", "--seconds", "0.05").returncode, 0)
        os.rename(self.path("a.lmc.checkpoint"), self.path("a.lmc.checkpoint.before"))  # which is said
        words = ["run", "scene.json", "--out", "a.lmc", "--resume"]
        run = subprocess.Popen([LIMBER, *words], cwd=self.folder, preexec_fn=lambda: os.close(2))
        self.assertEqual(run.wait(3600), 0)
        self.assertEqual(self.limber("run", "scene.json", "--out", "b.lmc").returncode, 0)
        with open(self.path("a.lmc"), "rb") as a, open(self.path("b.lmc"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_what_killed_runs_left_is_removed(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        left = ["a.png.tmp%d", "m-block-0001.obj.tmp%d", "a.lmc.tmp%d"]
        for name in left + ["other.png.tmp%d"]:
            open(self.path(name % dead.pid), "w").close()
        done = self.limber("run", "scene.json", "--out", "a.lmc", "--out", "a.png", "--out", "m-{object}-{frame}.obj")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([n for n in os.listdir(self.folder) if ".tmp" in n], ["other.png.tmp%d" % dead.pid])

    def test_long_work_of_other_verbs_is_interrupted(self):
        """A lattice of millions takes many times longer than a moment."""
        for number, code in (signal.SIGINT, 130), (signal.SIGTERM, 143):
            run = subprocess.Popen([LIMBER, "mesh", "block.obj", "--out", "m.msh", "--vertices", "9000000"],
                                   cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            while True:  # until it listens
                with open("/proc/%d/status" % run.pid) as f:
                    mask = next((int(line.split()[1], 16) for line in f if line.startswith("SigCgt:")), 0)
                if mask >> (number - 1) & 1 or run.poll() is not None:
                    break
            run.send_signal(number)
            said = run.communicate(timeout=3600)[1]
            self.assertEqual(run.returncode, code, said)
            self.assertFalse(os.path.exists(self.path("m.msh")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
