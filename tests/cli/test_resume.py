"""Runs that are interrupted, killed, resumed and replayed end as those that are not. Usage: test_resume.py LIMBER SOURCE"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from command import LIMBER, Command


class Resume(Command):
    def test_threads_do_not_change_results(self):
        scene = self.write_scene()
        hashes = set()
        for n in "1", "2", "4":
            self.limber("run", scene, "--out", "a.lmc", "--threads", n, "--stats", "s.json", "--quiet")
            with open(self.path("s.json")) as f:
                hashes.add(json.load(f)["hash"])
        self.assertEqual(len(hashes), 1)

    def test_interrupt_and_resume(self):
        self.scene["seconds"] = 80000  # much longer than anybody waits
        scene = self.write_scene()
        run = subprocess.Popen([LIMBER, "run", scene, "--out", "a.lmc"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("a.lmc.checkpoint")):
            time.sleep(0.002)
            self.assertIsNone(run.poll(), "ended before it could be interrupted")
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=3600)[1]
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("--resume", said)
        frames = int(re.search(r"frames +(\d+)", self.limber("info", "a.lmc").stdout).group(1))
        self.assertLess(frames, 80000 * 24)
        seconds = str(frames / 24 + 1)
        self.limber("run", scene, "--out", "a.lmc", "--resume", "--seconds", seconds, "--stats", "a.json")
        self.limber("run", scene, "--out", "b.lmc", "--seconds", seconds, "--stats", "b.json")
        with open(self.path("a.lmc"), "rb") as a, open(self.path("b.lmc"), "rb") as b:
            self.assertTrue(a.read() == b.read())
        with open(self.path("a.json")) as a, open(self.path("b.json")) as b:
            self.assertEqual(json.load(a)["hash"], json.load(b)["hash"])

    def test_interrupt_while_reading(self):
        """A lattice that takes long to make."""
        with open(self.path("tetra.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        self.scene["objects"][0].update(mesh="tetra.obj", lattice={"vertices": 1000000})
        self.write_scene()
        run = subprocess.Popen([LIMBER, "run", "scene.json"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.wait_until_caught(run, signal.SIGINT)
        run.send_signal(signal.SIGINT)
        # in words: its own while it reads, those of the watcher where the machine is too busy to come to that
        self.assertRegex(run.communicate(timeout=3600)[1], "interrupted( while it was read|; go on)")
        self.assertEqual(run.returncode, 130)

    def test_killed_run_resumes(self):
        self.scene["seconds"] = 80000  # much longer than anybody waits
        scene = self.write_scene()
        run = subprocess.Popen([LIMBER, "run", scene, "--out", "a.lmc", "--quiet"], cwd=self.folder)
        while not os.path.exists(self.path("a.lmc.checkpoint")):
            time.sleep(0.002)
        run.send_signal(signal.SIGSTOP)  # or a checkpoint that it is writing would look left behind
        for more in [], ["--resume"]:
            self.bad("is being written by another run", "run", scene, "--out", "a.lmc", *more, code=1)
        self.assertIsNone(run.poll(), "ended before it could be killed")
        run.kill()
        run.wait()
        frames = int(re.search(r"frames +(\d+)", self.limber("info", "a.lmc").stdout).group(1))
        seconds = str(frames / 24 + 1)
        self.limber("run", scene, "--out", "a.lmc", "--resume", "--seconds", seconds)
        self.limber("run", scene, "--out", "b.lmc", "--seconds", seconds)
        with open(self.path("a.lmc"), "rb") as a, open(self.path("b.lmc"), "rb") as b:
            self.assertTrue(a.read() == b.read())

    def test_resume_and_render_from_another_folder(self):
        self.scene["background"] = "#ff0000"
        self.write_scene()
        self.limber("run", "scene.json", "--out", "whole.lmc", "--stats", "whole.json")
        self.limber("run", "scene.json", "--out", "a.lmc", "--seconds", "0.2")
        os.mkdir(self.path("elsewhere"))
        inside = os.path.join("..", os.path.basename(self.folder))
        self.limber("run", os.path.join(inside, "scene.json"), "--out", os.path.join(inside, "a.lmc"), "--resume",
                    "--stats", "a.json")
        with open(self.path("whole.json")) as f, open(self.path("a.json")) as g:
            self.assertEqual(json.load(f)["hash"], json.load(g)["hash"])
        with open(self.path("whole.lmc"), "rb") as f, open(self.path("a.lmc"), "rb") as g:
            self.assertEqual(f.read(), g.read())
        # the picture has the scene's background wherever it is made
        pictures = [subprocess.run([LIMBER, "render", self.path("a.lmc"), "--out", self.path(name), "--size", "32x32"],
                                   cwd=folder, capture_output=True, text=True, timeout=3600)
                    for name, folder in (("a.png", self.folder), ("b.png", self.path("elsewhere")))]
        self.assertEqual([p.stderr for p in pictures], [self.path("a.png") + "\n", self.path("b.png") + "\n"])
        with open(self.path("a.png"), "rb") as f, open(self.path("b.png"), "rb") as g:
            self.assertEqual(f.read(), g.read())
        os.remove(self.path("scene.json"))
        self.assertIn("scene.json cannot be read", self.limber("render", "a.lmc", "--out", "c.png").stderr)

    def test_resume_of_a_run_that_is_longer(self):
        self.write_scene()
        self.limber("run", "scene.json", "--out", "a.lmc")
        self.assertIn("a.lmc has 0.5 s already", self.limber("run", "scene.json", "--out", "a.lmc", "--seconds", "0.2",
                                                             "--resume").stderr)

    def test_takes(self):
        scene = self.write_scene()
        self.limber("run", scene, "--out", "a.lmc", "--stats", "a.json")
        with open(self.path("a.json")) as f:
            stats = json.load(f)
        head = {"take": 1, "scene": stats["fingerprint"], "simd": stats["simd"], "fps": 24}
        push = {"frame": 3, "do": "push", "object": "block", "triangle": 0, "at": [1, 0, 0], "to": [1, 2, 3]}

        def take(*lines):
            with open(self.path("a.take"), "w") as f:
                f.writelines(json.dumps(line) + "\n" for line in lines)
            return ["run", scene, "--seconds", "0.5", "--out", "b.lmc", "--stats", "b.json", "--take", "a.take"]

        run = self.limber(*take(head, push))
        self.assertIn("a.take: as recorded", run.stderr)
        with open(self.path("b.json")) as f:
            pushed = json.load(f)["hash"]
        self.assertNotEqual(pushed, stats["hash"])
        self.limber(*take(head, push, {"frame": 12, "hash": pushed}))
        run = self.limber(*take(head, {**push, "to": [1, 2, 3.01]}, {"frame": 12, "hash": pushed}), code=1)
        self.assertIn("differs from frame 12", run.stderr)
        for lines, words in [
                (({**head, "scene": "0" * 16}, push), "the take is of another scene"),
                (({"frame": 1}, push), "line 1: is not a take"),
                ((head, {**push, "do": "pusch"}), 'line 2: do: is "pusch"'),
                ((head, {**push, "object": "bock"}), "line 2: object: is \"bock\""),
                ((head, {**push, "frame": 5}, push), "line 3: has no frame, or one before"),
                ((head, {**push, "triangel": 1}), 'did you mean "triangle"?'),
                ((head, {"frame": 1, "hash": "12"}), "line 2: has a hash that is not 16 hexadecimal digits"),
                (({**head, "simd": "avx9"}, push), "avx9")]:
            run = self.limber(*take(*lines), code=2)
            self.assertIn(words, run.stderr)

    def write_take(self, scene, count, frames):
        """Commands of every kind that a block takes, over so many frames; hashes are left out."""
        self.limber("run", scene, "--seconds", "0.05", "--out", "head.lmc", "--stats", "head.json")
        with open(self.path("head.json")) as f:
            stats = json.load(f)
        lines = [{"take": 1, "scene": stats["fingerprint"], "simd": stats["simd"], "fps": 24}]
        for k in range(count):
            place = {"object": "block", "triangle": k % 12, "at": [0.5, 0.25, 0.25]}
            lines.append({"frame": k * frames // count, **[
                {"do": "grab", "id": 1, **place},
                {"do": "move", "id": 1, "to": [0.1 * (k % 7), 0.6 + 0.01 * (k % 11), 0.1 / 3]},
                {"do": "set", "object": "block", "key": "match.damping", "value": 0.1 + 0.01 * (k % 13)},
                {"do": "push", "impulse": [0.1 / (1 + k), 0.2, 0], **place},
                {"do": "release", "id": 1},
                {"do": "pin", "id": 2, **place},
                {"do": "move", "id": 2, "to": [0.3, 0.5 + 0.01 * (k % 5), 0]},
                {"do": "set", "object": "block", "key": "gravity", "value": [0, -9 + k % 3, 0]},
                {"do": "release", "id": 2},
                {"do": "free", "object": "block", "key": "damping"}][k % 10]})
        with open(self.path("a.take"), "w") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)

    def hash_of(self, name):
        with open(self.path(name)) as f:
            return json.load(f)["hash"]

    def test_take_becomes_a_scene(self):
        scene = self.write_scene()
        self.write_take(scene, 60, 48)
        self.limber("run", scene, "--take", "a.take", "--out", "a.lmc", "--stats", "a.json")
        self.assertIn("new.json: 60 commands in 48 frames", self.limber("take", scene, "a.take", "--out", "new.json").stdout)
        self.limber("check", "new.json")
        self.limber("run", "new.json", "--out", "b.lmc", "--stats", "b.json")
        self.assertEqual(self.hash_of("a.json"), self.hash_of("b.json"))
        with open(self.path("new.json")) as f:
            block = json.load(f)["objects"][0]
        self.assertEqual([len(block[key]) for key in ("drags", "pins", "pushes")], [6, 6, 6])
        self.assertIn("thinned", self.limber("take", scene, "a.take", "--out", "thin.json", "--thin", "0.5").stdout)
        self.bad("takes one scene", "take", scene, "--out", "new.json")
        self.bad("unknown ending", "take", scene, "a.take", "--out", "new.take")
        self.bad("would be written over", "take", scene, "a.take", "--out", scene)
        os.mkdir(self.path("else"))
        self.bad("must lie beside", "take", scene, "a.take", "--out", "else/new.json")
        self.bad("of another scene", "take", "new.json", "a.take", "--out", "newer.json")
        self.bad("none.take: cannot", "take", scene, "none.take", "--out", "newer.json")

    def test_killed_take_resumes(self):
        self.scene["seconds"] = 80000
        scene = self.write_scene()
        self.write_take(scene, 5000, 100000)
        words = ["run", scene, "--take", "a.take"]
        run = subprocess.Popen([LIMBER, *words, "--out", "a.lmc", "--quiet"], cwd=self.folder)
        while not os.path.exists(self.path("a.lmc.checkpoint")):
            time.sleep(0.002)
        self.assertIsNone(run.poll(), "ended before it could be killed")
        run.kill()
        run.wait()
        frames = int(re.search(r"frames +(\d+)", self.limber("info", "a.lmc").stdout).group(1))
        seconds = ["--seconds", str(frames / 24 + 1)]
        self.limber(*words, "--out", "a.lmc", "--resume", "--stats", "a.json", *seconds)
        self.limber(*words, "--out", "b.lmc", "--stats", "b.json", *seconds)
        self.assertEqual(self.hash_of("a.json"), self.hash_of("b.json"))
        with open(self.path("a.lmc"), "rb") as a, open(self.path("b.lmc"), "rb") as b:
            self.assertTrue(a.read() == b.read())

    def test_simd_level(self):
        scene = self.write_scene()

        def stats(*words, **environment):
            self.limber("run", scene, "--out", "a.lmc", "--stats", "s.json", *words, env={**os.environ, **environment})
            with open(self.path("s.json")) as f:
                return json.load(f)
        best = stats("--simd", "auto")["simd"]
        self.assertIn(best, ("plain", "avx2", "avx512"))
        self.assertEqual(stats(LIMBER_SIMD="plain")["simd"], "plain")
        self.assertEqual(stats("--simd", best, LIMBER_SIMD="plain")["simd"], best)
        for verb in "run", "check":
            self.bad("avx3 is no SIMD level; there are: plain, avx2, avx512", verb, scene, "--simd", "avx3")
        self.bad("LIMBER_SIMD: avx3 is no SIMD level", "check", scene, env={**os.environ, "LIMBER_SIMD": "avx3"})
        if best != "avx512":
            self.bad("avx512 is not there on this machine", "run", scene, "--simd", "avx512")
        # a run goes on at the level that it began with, and at no other
        whole = stats("--simd", "plain", "--seconds", "0.5")
        stats("--simd", "plain", "--seconds", "0.2")
        if best != "plain":
            self.bad("ask for --simd plain", "run", scene, "--out", "a.lmc", "--resume", "--simd", best)
        resumed = stats("--resume", LIMBER_SIMD="")
        self.assertEqual([resumed["simd"], resumed["hash"]], ["plain", whole["hash"]])

    def test_resume_of_a_changed_scene_is_refused(self):
        scene = self.write_scene()
        self.limber("run", scene, "--out", "a.lmc")
        self.scene["gravity"] = [0, -1, 0]
        self.write_scene()
        self.bad("without --resume", "run", scene, "--out", "a.lmc", "--resume")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
