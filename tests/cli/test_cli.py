"""The command as people meet it: verbs, endings, exit codes, sentences, interruption. Usage: test_cli.py LIMBER SOURCE"""

import json
import math
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

LIMBER, SOURCE = sys.argv[1], sys.argv[2]
TWIST = os.path.join(SOURCE, "gallery/match/twist.json")


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

    # ---- help and usage ----

    def test_regions_of_design(self):
        self.scene["objects"] = [{"name": "drop", "engine": "design", "mesh": os.path.join(SOURCE, "gallery/assets/drop.ply"),
                                  "design": {"nodes": 12, "voxels": 1000}}]
        scene = self.write_scene()
        self.limber("regions", scene, "--out", "nodes.json")
        with open(self.path("nodes.json")) as f:
            nodes = json.load(f)["objects"][0]["nodes"]
        self.assertEqual(len(nodes), 12)
        self.assertTrue(all(n["radius"] > 0 and n["coupled"] for n in nodes))
        self.limber("regions", scene, "--out", "nodes.png", "--vertex", "3")
        self.assertGreater(os.path.getsize(self.path("nodes.png")), 1000)
        self.limber("regions", scene, "--out", "paths.png", "--paths")
        with open(self.path("nodes.png"), "rb") as a, open(self.path("paths.png"), "rb") as b:
            self.assertNotEqual(a.read(), b.read())
        self.bad("needs .png", "regions", scene, "--out", "nodes.json", "--paths")

    def test_pose(self):
        figure = os.path.join(SOURCE, "gallery/assets/drop.ply")
        with open(self.path("handles.json"), "w") as f:
            json.dump({"handles": [{"near": [0, 0, 0]}, {"near": [0, 0.5, 0], "by": [0.2, 0.1, 0]}]}, f)
        run = self.limber("pose", figure, "--handles", "handles.json", "--out", "posed.obj", "--nodes", "20")
        self.assertRegex(run.stdout, r"posed\.obj: \d+ vertices, 20 nodes; handles are met to")
        vertices = lambda text: re.search(r"vertices +(\d+)", text).group(1)
        self.assertEqual(vertices(self.limber("info", "posed.obj").stdout), vertices(self.limber("info", figure).stdout))
        self.bad("takes one model", "pose", figure)
        self.bad("unknown ending", "pose", figure, "--handles", "handles.json", "--out", "posed.msh")
        self.bad("would be written over", "pose", "posed.obj", "--handles", "handles.json", "--out", "./posed.obj")
        self.bad("limber: none.json: cannot", "pose", figure, "--handles", "none.json", "--out", "a.obj")
        with open(self.path("handles.json"), "w") as f:
            json.dump({"handles": [{"group": "toes"}]}, f)
        self.bad(r"handles\[0\]\.group: is \"toes\"", "pose", figure, "--handles", "handles.json", "--out", "a.obj")

    def test_pose_of_a_character(self):
        """At the equilibrium of its material: handles are met, a vertex between them is between, a rigid motion of all
        handles costs nothing, and the pose is an example of the scene."""
        lines = ["v %g %g 0" % (x / 8, y / 4) for y in range(5) for x in range(17)]
        for y in range(4):
            for x in range(16):
                a = 17 * y + x + 1
                lines.append("f %d %d %d %d" % (a, a + 1, a + 18, a + 17))
        with open(self.path("bar.obj"), "w") as f:
            f.write("\n".join(lines) + "\n")
        bar = {"name": "bar", "engine": "act", "mesh": "bar.obj", "position": [5, 3, 0], "scale": 2, "act": {"model": "solid2"}}
        self.scene["objects"] = [bar]
        scene = self.write_scene()
        left, right = [17 * y for y in range(5)], [17 * y + 16 for y in range(5)]

        def pose(*handles):
            with open(self.path("handles.json"), "w") as f:
                json.dump({"handles": list(handles)}, f)
            said = self.limber("pose", scene, "--model", "act", "--handles", "handles.json", "--out", "pose.obj").stdout
            with open(self.path("pose.obj")) as f:
                points = [list(map(float, line.split()[1:])) for line in f if line.startswith("v ")]
            return points, float(re.search(r"at (\S+) J", said).group(1)), said

        turn = {"axis": [0, 0, 1], "degrees": 60}
        points, energy, said = pose({"vertices": left}, {"vertices": right, "by": [0, 1, 0], "rotation": turn})
        self.assertNotIn("no equilibrium", said)
        self.assertEqual(len(points), 85)
        self.assertGreater(energy, 0)
        middle = [sum(points[v][d] for v in right) / 5 for d in range(3)]  # in the units of the file: scale is 2
        for found, wanted in zip(middle, (2, 0.5 + 0.5, 0)):
            self.assertAlmostEqual(found, wanted, 6)
        self.assertAlmostEqual(points[right[4]][0] - points[right[0]][0], -math.sin(math.radians(60)), 6)  # turned
        points, energy, _ = pose({"vertices": left}, {"vertices": right, "by": [0, 1, 0]})
        self.assertAlmostEqual(points[17 * 2 + 8][1], 0.75, 2)  # an S: its middle is in the middle
        self.assertLess(points[17 * 2 + 4][1], 0.62)
        bar["act"] = {"model": "solid2", "control": "examples", "examples": [{"mesh": "pose.obj"}]}
        self.limber("check", self.write_scene())
        bar["act"] = {"model": "solid2"}
        self.write_scene()
        _, energy_of_motion, _ = pose({"vertices": left, "by": [1, 2, 0]}, {"vertices": right, "by": [1, 2, 0]})
        self.assertLess(energy_of_motion, 1e-9 * energy)
        self.bad("has no object none", "pose", scene, "--model", "act", "--object", "none", "--handles", "handles.json",
                 "--out", "a.obj")
        self.bad("--model is fem", "pose", scene, "--model", "fem", "--handles", "handles.json", "--out", "a.obj")
        self.bad("--model act takes a scene", "pose", "bar.obj", "--model", "act", "--handles", "handles.json", "--out", "a.obj")

    def test_help_teaches(self):
        self.assertIn("limber run SCENE.json", self.limber("--help").stdout)
        for verb in ("run", "check", "render", "mesh", "pose", "regions", "gallery", "take", "info"):
            self.assertIn("limber " + verb, self.limber(verb, "--help").stdout)
            self.assertEqual(self.limber("help", verb).stdout, self.limber(verb, "--help").stdout)
        self.assertRegex(self.limber("--version").stdout, r"limber \d+\.\d+\.\d+")

    def test_bad_usage(self):
        self.limber(code=2)
        self.bad("unknown verb", "walk")
        self.bad("Try: limber run x.json", "x.json")
        self.bad("--ot: unknown option", "run", "x.json", "--ot", "y.mp4")
        self.bad("--out needs a value", "run", "x.json", "--out")
        self.bad("between 1 and 256", "run", "x.json", "--threads", "0")
        self.bad("must be a number", "run", "x.json", "--seconds", "soon")
        self.bad("given twice", "run", "x.json", "--stats", "a", "--stats", "b")
        self.bad("one scene file", "run")
        self.bad("did you mean --out y.mp4", "run", "x.json", "y.mp4")
        self.bad("did you mean --out y.png", "render", "x.lmc", "y.png")
        self.bad("is no scene but a mesh", "run", "x.obj", lines=1)
        self.bad("limber render", "check", "x.lmc", lines=1)
        scene = self.write_scene()
        self.bad("unknown ending", "run", scene, "--out", "film.avi")
        self.bad("exclude each other", "mesh", "a.obj", "--out", "b.msh", "--size", "1", "--vertices", "9")

    # ---- running ----

    def test_run_writes_what_was_asked_for(self):
        scene = self.write_scene()
        run = self.limber("run", scene, "--out", "film.gif", "--out", "p/{object}-{frame}.obj", "--out", "{object}.pc2",
                          "--out", "{object}.mdd", "--out", "last.ply", "--out", "still.png", "--stats", "stats.json")
        self.assertIn("film.gif", run.stderr)
        for name in ("film.gif", "film.lmc", "block.pc2", "block.mdd", "last.ply", "still.png", "p/block-0000.obj",
                     "p/block-0012.obj"):
            self.assertTrue(os.path.getsize(self.path(name)) > 0, name)
        self.assertEqual(len(os.listdir(self.path("p"))), 13)
        self.assertFalse([f for f in os.listdir(self.folder) if ".tmp" in f])
        with open(self.path("stats.json")) as f:
            stats = json.load(f)
        self.assertEqual(stats["objects"][0]["vertices"], 8)
        self.assertAlmostEqual(stats["time"]["simulated"], 0.5)
        self.assertTrue(stats["objects"][0]["finite"])
        self.assertLess(stats["objects"][0]["com_end"][1], stats["objects"][0]["com_start"][1])
        self.assertIn("13 at 24", self.limber("info", "film.lmc").stdout)
        self.assertIn("13 at 24", self.limber("info", "block.pc2").stdout)
        self.assertIn("vertices    8", self.limber("info", "cube.node").stdout)
        self.assertIn("length", self.limber("info", scene).stdout)

    def test_quiet_when_not_a_terminal(self):
        scene = self.write_scene()
        run = self.limber("run", scene, "--out", "a.lmc", "--quiet")
        self.assertEqual((run.stdout, run.stderr), ("", ""))
        run = self.limber("run", scene, "--out", "a.lmc")
        self.assertNotIn("\r", run.stderr)
        self.assertNotIn("left", run.stderr)

    def test_progress_bar_on_a_terminal(self):
        self.scene["seconds"] = 60
        scene = self.write_scene()
        try:
            child, terminal = pty.fork()
        except OSError as problem:  # a chroot without /dev/pts
            self.missing(problem)
        if child == 0:
            os.chdir(self.folder)
            os.execv(LIMBER, [LIMBER, "run", scene, "--out", "a.lmc"])
        code, shown = self.watch(child, terminal)
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"simulating .*%")

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

    def test_large_picture(self):
        """One picture may take minutes: it tells how far it is, and stops when it is told to, leaving nothing."""
        self.limber("run", self.write_scene(), "--out", "a.lmc", "--seconds", "0.1")
        before = sorted(os.listdir(self.folder))
        try:
            child, terminal = pty.fork()
        except OSError as problem:
            self.missing(problem)
        if child == 0:
            os.chdir(self.folder)
            os.execv(LIMBER, [LIMBER, "render", "a.lmc", "--size", "8000x8000", "--out", "b.png"])
        code, shown = self.watch(child, terminal, r"rendering .* \d+ %.*left")
        self.assertEqual(code, 130, shown)
        self.assertRegex(shown, "limber: cancelled after [0-9]+ of 8000 rows")
        self.assertLess(max(int(n) for n in re.findall(r"(\d+) %", shown)), 100)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

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

    def wait_until_caught(self, run, number):
        """Until the process has said that it handles the signal; before, it would just end."""
        while run.poll() is None:
            with open("/proc/%d/status" % run.pid) as f:
                caught = re.search(r"SigCgt:\s*(\w+)", f.read())
            if int(caught.group(1), 16) >> (number - 1) & 1:
                return
            time.sleep(0.002)
        self.fail("ended before it could be interrupted")

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

    def test_numbers_of_every_frame(self):
        scene = self.write_scene()
        self.limber("run", scene, "--out", "a.lmc", "--stats-frames", "a.csv")
        with open(self.path("a.csv")) as f:
            rows = [line.rstrip("\n").split(",") for line in f]
        self.assertEqual(rows[0][:3], ["frame", "time", '"frame_seconds"'])
        self.assertIn('"block.kinetic_energy"', rows[0])
        self.assertEqual([row[0] for row in rows[1:]], [str(k) for k in range(13)])
        height = rows[0].index('"block.center_y"')
        self.assertLess(float(rows[-1][height]), float(rows[1][height]) - 0.3)  # it has fallen
        self.limber("run", scene, "--seconds", "1", "--out", "a.lmc", "--stats-frames", "a.csv", "--resume")
        with open(self.path("a.csv")) as f:
            again = f.read().splitlines()
        self.assertEqual([line.split(",")[0] for line in again[1:]], [str(k) for k in range(25)])
        self.assertEqual([line.split(",")[3:] for line in again[:14]], [row[3:] for row in rows])
        self.limber("run", scene, "--out", "b.lmc", "--stats-frames", "scene.json", code=2)

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

    def test_outputs_do_not_replace_inputs(self):
        with open(self.path("block.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        self.scene["objects"][0]["mesh"] = "block.obj"
        self.write_scene()
        before = os.stat(self.path("block.obj"))
        self.bad("block.obj: is part of the scene", "run", "scene.json", "--out", "{object}.obj")
        self.bad("scene.json: is part of the scene", "run", "scene.json", "--stats", "./scene.json")
        for name in ("0003.obj", "ground.obj"): # a start pose, met by {frame}, and a collider
            shutil.copy(self.path("block.obj"), self.path(name))
        self.scene["objects"][0].update(name="x", start="0003.obj")
        self.scene["colliders"] = [{"shape": "mesh", "mesh": "ground.obj", "position": [0, -3, 0]}]
        self.write_scene()
        self.bad("0003.obj: is part of the scene", "run", "scene.json", "--out", "{frame}.obj")
        self.bad("ground.obj: is part of the scene", "run", "scene.json", "--out", "ground.obj")
        self.assertEqual(os.stat(self.path("block.obj")).st_mtime_ns, before.st_mtime_ns)

    def test_names_of_outputs(self):
        self.write_scene()
        os.mkdir(self.path("folder.mp4"))
        self.bad("is a folder", "run", "scene.json", "--out", "folder.mp4", code=1)
        self.bad("is a folder", "run", "scene.json", "--stats", ".", code=1)
        self.bad("is a folder", "run", "scene.json", "--stats", "", code=1)
        self.bad("would be written twice", "run", "scene.json", "--out", "a.lmc", "--stats", "a.lmc")
        self.bad("would be written twice", "run", "scene.json", "--out", "a.png", "--stats", "a.png")
        self.bad("a run has one cache", "run", "scene.json", "--out", "a.lmc", "--out", "b.lmc")
        self.bad("`limber run` makes them", "render", "scene.json", "--out", "a.lmc")
        self.bad("is part of the scene", "regions", "scene.json", "--out", "./scene.json")
        self.bad("there are 8 vertices", "regions", "scene.json", "--out", "a.png", "--vertex", "8")
        self.bad("show all objects together", "run", "scene.json", "--out", "{object}.png")
        self.bad("holds all frames", "run", "scene.json", "--out", "{frame}.mp4")
        self.bad("--size is large", "render", "scene.json", "--out", "a.png", "--size", "large")
        self.scene["name"] = "../up and away"
        self.write_scene()
        self.limber("run", "scene.json", "--seconds", "0.1")
        self.assertTrue(os.path.exists(self.path("out/.._up and away.lmc")))

    def test_closed_and_full_streams(self):
        self.write_scene()
        command = 'exec "$0" run scene.json --seconds 0.2 --out a.lmc <&- >&- 2>&-'
        self.assertEqual(subprocess.run(["sh", "-c", command, LIMBER], cwd=self.folder).returncode, 0)
        self.assertIn("frames      6", self.limber("info", "a.lmc").stdout)
        with open(self.path("a.lmc"), "rb") as f:
            self.assertNotIn(b"of animation", f.read())  # what was said did not end up in the cache
        with open("/dev/full", "w") as full:
            run = subprocess.run([LIMBER, "info", "a.lmc"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 1)

    def test_resume_of_a_changed_scene_is_refused(self):
        scene = self.write_scene()
        self.limber("run", scene, "--out", "a.lmc")
        self.scene["gravity"] = [0, -1, 0]
        self.write_scene()
        self.bad("without --resume", "run", scene, "--out", "a.lmc", "--resume")

    # ---- bad input: one clear sentence, code 2, no output ----

    def test_missing_file(self):
        self.bad("nowhere.json: .*No such file", "run", "nowhere.json", "--out", "a.mp4", lines=1)
        self.bad("nowhere.obj: .*No such file", "mesh", "nowhere.obj", "--out", "a.msh", lines=1)
        self.bad("nowhere.lmc: .*No such file", "render", "nowhere.lmc", "--out", "a.png", lines=1)
        self.scene["objects"][0]["mesh"] = "gone.node"
        self.bad(r"objects\[0\].mesh: .*gone.node", "run", self.write_scene(), "--out", "a.mp4", lines=1)

    def test_broken_json(self):
        with open(self.path("scene.json"), "w") as f:
            f.write('{ "limber": 1,\n  "objects": [ }\n')
        self.bad("scene.json: line 2", "run", "scene.json", "--out", "a.mp4", lines=1)

    def test_all_problems_at_once(self):
        self.scene["fps"] = "fast"
        self.scene["objects"][0]["colour"] = "#ff0000"
        self.scene["objects"][0]["match"] = {"beta": 2}
        run = self.bad("fps: ", "check", self.write_scene(), lines=3)
        self.assertRegex(run.stderr, r"objects\[0\]: .*colour.*color|objects\[0\].colour: .*color")
        self.assertRegex(run.stderr, r"objects\[0\].match.beta: ")
        self.bad("fps: ", "run", self.write_scene(), "--out", "a.mp4", lines=3)

    def test_push_by_velocity(self):
        """The same change of velocity for every mass."""
        self.scene.update(gravity=[0, 0, 0], seconds=0.25)
        for density in (10, 10000):
            self.scene["objects"][0].update(density=density, pushes=[{"time": 0, "velocity": [2, 0, 0]}])
            self.limber("run", self.write_scene(), "--stats", "s.json", "--quiet")
            with open(self.path("s.json")) as f:
                body = json.load(f)["objects"][0]
            self.assertAlmostEqual(body["com_end"][0] - body["com_start"][0], 0.5, 3)

    def test_check_as_json(self):
        found = json.loads(self.limber("check", "--json", self.write_scene()).stdout)
        self.assertEqual((found["good"], found["problems"], found["warnings"], found["pairs"]), (True, [], [], []))
        self.scene["objects"][0].update(position=[0, -0.3, 0], match={"betaa": 1, "damping": -1})
        found = json.loads(self.limber("check", "--json", self.write_scene(), code=2).stdout)
        self.assertEqual([p["where"] for p in found["problems"]],
                         ["objects[0].match.betaa", "objects[0].match.damping"])
        self.assertIn("beta", found["problems"][0]["message"])
        self.scene["objects"][0]["match"] = {}
        found = json.loads(self.limber("check", "--json", self.write_scene()).stdout)
        self.assertRegex(found["warnings"][0], "it is moved by")

    def test_check_of_pairs(self):
        """Objects inside each other, and those that cannot touch; not those that only touch, or say that they do not."""
        body = self.scene["objects"][0]
        flat = {"name": "flat", "engine": "act", "mesh": "flat.obj", "act": {"model": "solid2"}, "position": [0, 9, 0]}
        with open(self.path("flat.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
        near, far = dict(body, name="near"), dict(body, name="far")
        at = body.get("position", [0, 0, 0])
        near["position"], far["position"] = [at[0] + 0.05, at[1], at[2]], [at[0] + 0.25, at[1], at[2]]
        body["name"] = "body"
        self.scene["objects"] += [near, far, flat]
        path = self.write_scene()
        found = json.loads(self.limber("check", "--json", path).stdout)["pairs"]
        inside = [p for p in found if p["inside"]]
        self.assertEqual([p["objects"] for p in inside], [["body", "near"]])
        self.assertTrue(all("plane" in p["reason"] for p in found if not p["inside"]))
        self.assertEqual([p["objects"] for p in found if not p["inside"]],
                         [["body", "flat"], ["near", "flat"], ["far", "flat"]])
        self.assertIn('"body" and "near" begin inside each other', self.limber("check", path).stdout)
        near["touch"], flat["touch"] = False, False
        self.assertEqual(json.loads(self.limber("check", "--json", self.write_scene()).stdout)["pairs"], [])

    def test_example_with_another_vertex_count(self):
        cube(self.path("pose"))
        with open(self.path("pose.node"), "w") as f:
            f.write("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n")
        with open(self.path("pose.ele"), "w") as f:
            f.write("1 4 0\n0 0 1 2 3\n")
        self.scene["objects"][0]["match"] = {"examples": [{"mesh": "pose.node"}]}
        self.bad(r"examples\[0\].mesh: .*4 vertices.* 8", "run", self.write_scene(), "--out", "a.mp4", lines=1)

    def test_poses_of_surfaces(self):
        block = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n%s"
        for name, text in (("block", block % "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"),
                           ("mixed", block % "f 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 4 2\n"),
                           ("large", (block % "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n").replace("1 0 0", "100 0 0"))):
            with open(self.path(name + ".obj"), "w") as f:
                f.write(text)
        self.scene["objects"][0].update(mesh="block.obj", start="mixed.obj")
        self.write_scene()
        self.bad(r"objects\[0\].start: joins other vertices than the mesh", "check", "scene.json")
        self.scene["objects"][0]["start"] = "large.obj"
        self.write_scene()
        self.assertRegex(self.limber("check", "scene.json").stderr, "start: is 100 m large .* in other units")

    def test_zero_volume_mesh(self):
        with open(self.path("flat.node"), "w") as f:
            f.write("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n")
        with open(self.path("flat.ele"), "w") as f:
            f.write("1 4 0\n0 0 1 2 3\n")
        self.scene["objects"][0]["mesh"] = "flat.node"
        self.bad("volume", "run", self.write_scene(), "--out", "a.mp4", lines=1)

    def act(self, mesh, act, **more):
        """A scene with one object of act."""
        self.scene = {"limber": 1, "seconds": 0.1, "fps": more.pop("fps", 24),
                      "objects": [{"engine": "act", "mesh": mesh, "act": act, **more}]}
        return self.write_scene()

    def test_bad_bodies_of_act(self):
        square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
        files = {
            "square.obj": square + "f 1 2 3\nf 1 3 4\n",
            "inverted.obj": square + "f 1 3 2\nf 1 3 4\n",
            "flat.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n",
            "off.obj": square.replace("1 1 0", "1 1 0.1") + "f 1 2 3\nf 1 3 4\n",
            "folded.obj": square.replace("1 1 0", "-1 -1 0") + "f 1 2 3\nf 1 3 4\n",
            "other.obj": square + "f 1 2 4\nf 2 3 4\n",
            "more.obj": square + "f 1 2 3\nf 1 3 4\nf 2 3 4\n",
            "small.obj": "v 0.1 0.1 0\nv 0.9 0.1 0\nv 0.9 0.9 0\nv 0.1 0.9 0\nl 1 2 3 4 1\n",
            "stub.obj": "v 0 0 0\nv 1 0 0\nv 1 0 0\nl 1 2 3\n",
        }
        for name, text in files.items():
            with open(self.path(name), "w") as f:
                f.write(text)
        flat = {"model": "solid2"}
        cases = [
            ("inverted.obj", flat, {}, r"objects\[0\]: triangle 0 is inverted .*counter-clockwise"),
            ("flat.obj", flat, {}, r"triangle 0 has no area"),
            ("stub.obj", {"model": "curve"}, {}, r"edge 1 has no length"),
            ("off.obj", flat, {}, r"vertex 2 has z = 0.1"),
            ("square.obj", {**flat, "cage": "small.obj"}, {}, r"outside of the cage .*has to enclose the whole body"),
            ("square.obj", {**flat, "examples": ["other.obj"]}, {}, r"examples\[0\].mesh: joins other vertices than the mesh"),
            ("square.obj", {**flat, "examples": ["more.obj"]}, {}, r"has 3 triangles, the mesh has 2"),
            ("square.obj", {**flat, "examples": ["small.obj", "stub.obj"]}, {}, r"examples\[1\].mesh: has 3 vertices"),
            ("square.obj", {**flat, "examples": ["folded.obj"]}, {}, r"element 0 of example 0 is inverted"),
            ("square.obj", {**flat, "control": "full", "goals": [{"vertices": [9], "velocity": [0, 0, 0]}]}, {},
             r"goals\[0\].vertices\[0\]: is vertex 9, but the mesh has 4"),
            ("square.obj", {**flat, "stretch": 0}, {}, r"act.stretch: is 0, must be at least 1e-12"),
            ("square.obj", {**flat, "damping": 11}, {}, r"act.damping: is 11, must be"),
            ("square.obj", flat, {"fps": 5, "substeps": 1}, r"substeps: is 1, which makes steps of 0.2 s"),
        ]
        for mesh, act, more, pattern in cases:
            scene = self.act(mesh, act, **more)
            self.bad(pattern, "check", scene, lines=1)
            self.bad(pattern, "run", scene, "--out", self.path("a.lmc"), lines=1)

    def test_bodies_of_act_run_and_resume(self):
        with open(self.path("square.obj"), "w") as f:
            f.write("v 0 0.2 0\nv 1 0.2 0\nv 1 1.2 0\nv 0 1.2 0\nf 1 2 3\nf 1 3 4\n")
        self.act("square.obj", {"model": "solid2", "control": "full", "commands": [{"do": "hop", "velocity": [0.5, 1, 0]}]})
        self.scene["colliders"] = [{"name": "ground", "shape": "plane"}]
        scene = self.write_scene()
        hashes = []
        for seconds in (["0.5", "1"], ["1"]):
            for s in seconds:
                self.limber("run", scene, "--out", self.path("a.lmc"), "--seconds", s, "--stats", self.path("s.json"),
                            *(["--resume"] if s != seconds[0] else []))
            with open(self.path("s.json")) as f:
                hashes.append(json.load(f)["hash"])
        self.assertEqual(hashes[0], hashes[1])

    def test_nan_in_a_file(self):
        with open(self.path("bad.obj"), "w") as f:
            f.write("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n")
        self.bad("bad.obj: line 2: ", "mesh", "bad.obj", "--out", "a.msh", lines=1)
        self.scene["objects"][0]["mesh"] = "bad.obj"
        self.bad("bad.obj", "run", self.write_scene(), "--out", "a.mp4", lines=1)

    def test_truncated_cache(self):
        scene = self.write_scene()
        self.limber("run", scene, "--out", "a.lmc", "--out", "a.pc2")
        for name in "a.lmc", "a.pc2":
            with open(self.path(name), "r+b") as f:
                f.truncate(40)
        self.bad("a.lmc: ", "render", "a.lmc", "--out", "a.png", lines=1)
        self.bad("a.pc2: ", "info", "a.pc2", lines=1)

    def test_ten_gigabytes_claimed(self):
        with open(self.path("big.pc2"), "wb") as f:
            f.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 10**7, 0, 1, 90))
        self.bad("big.pc2: ", "info", "big.pc2", lines=1)
        with open(self.path("big.stl"), "wb") as f:
            f.write(b" " * 80 + struct.pack("<I", 2 * 10**8))
        self.bad("big.stl: ", "mesh", "big.stl", "--out", "a.msh", lines=1)
        with open(self.path("big.ply"), "wb") as f:
            f.write(b"ply\nformat binary_little_endian 1.0\nelement vertex 900000000\nproperty float x\nproperty float y\n"
                    b"property float z\nend_header\n")
        self.bad("big.ply: ", "mesh", "big.ply", "--out", "a.msh", lines=1)

    # ---- output that cannot be written: code 1 ----

    def test_unwritable(self):
        scene = self.write_scene()
        self.bad("cannot be written", "run", scene, "--out", "/dev/null/a.mp4", code=1, lines=1)
        self.bad("cannot be written", "run", scene, "--out", "a.lmc", "--stats", "/dev/null/s.json", code=1, lines=1)
        self.bad("cannot be written", "mesh", "cube.node", "--out", "/dev/null/x.msh", code=1, lines=1)

    def test_no_ffmpeg(self):
        """Videos need it: that is said at once, before anything is read, simulated or left behind."""
        os.mkdir(self.path("bin"))
        os.mkdir(self.path("bin/ffmpeg"))  # a folder is no program
        without = {**os.environ, "PATH": self.path("bin") + "::/nonexistent"}
        said = r"^limber: .*\.mp4: videos need ffmpeg, .*\(apt-get install ffmpeg\).* \.lmc$"
        scene = self.write_scene()
        self.limber("run", scene, "--out", "a.lmc", "--out", "a.png", env=without)
        for words in (("run", scene, "--out", "b.png", "--out", "b.mp4"), ("render", scene, "--out", "b.mp4"),
                      ("render", "a.lmc", "--out", "b.mp4"), ("gallery",), ("run", "none.json", "--out", "b.mp4")):
            self.bad(said, *words, code=1, lines=1, env=without)
        self.limber("gallery", "match", "--list", env=without)
        shutil.rmtree(self.path("bin/ffmpeg"))
        with open(self.path("bin/ffmpeg"), "w") as f:
            f.write("#!/bin/sh\nexit 3\n")
        self.bad(said, "render", "a.lmc", "--out", "b.mp4", code=1, lines=1, env=without)  # not to be executed
        os.chmod(self.path("bin/ffmpeg"), 0o755)
        self.bad("could not write it", "render", "a.lmc", "--out", "b.mp4", code=1, lines=1, env=without)

    def test_full_disk(self):
        """A limit on the size of files stands for a full disk."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        scene = self.write_scene()
        run = self.limber("run", scene, "--out", "a.lmc", "--seconds", "20", code=1, preexec_fn=limit)
        self.assertRegex(run.stderr, r"^limber: .*a\.lmc: the run needs .* and there is room for 3\.0 kB only")
        self.assertFalse([f for f in os.listdir(self.folder) if ".tmp" in f or f.startswith("a.lmc")])
        with open(self.path("cube.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        self.bad("cannot be written", "mesh", "cube.obj", "--out", "b.msh", code=1, preexec_fn=limit)

    # ---- the other verbs ----

    def test_check_and_render_and_mesh(self):
        scene = self.write_scene()
        self.assertIn("good", self.limber("check", scene).stdout)
        self.limber("render", scene, "--out", "film.webm", "--size", "160x90")
        self.limber("render", "film.lmc", "--out", "sheet.png", "--sheet")
        self.limber("render", "film.lmc", "--out", "f/{frame}.png", "--size", "64x36")
        self.assertEqual(len(os.listdir(self.path("f"))), 13)
        self.bad("must end in .png", "render", "film.lmc", "--out", "sheet.mp4", "--sheet")
        self.bad("--size is 9", "render", "film.lmc", "--out", "a.png", "--size", "9")
        with open(self.path("tetra.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        said = self.limber("mesh", "tetra.obj", "--out", "t.msh", "--vertices", "200").stdout
        count = int(re.search(r"(\d+) vertices", said).group(1))
        self.assertTrue(150 <= count <= 250, said)
        self.limber("mesh", "tetra.obj", "--out", "t.node", "--size", "0.3")
        self.limber("info", "t.node", "t.msh")

    def test_begins_inside(self):
        """It is moved out of the ground, and that is told, also when quiet, and in the statistics."""
        self.scene["objects"][0]["position"] = [0, -0.3, 0]
        self.scene["objects"][0]["scale"] = 0.5
        said = self.limber("run", self.write_scene(), "--quiet", "--stats", "s.json", "--seconds", "0.1").stderr
        self.assertRegex(said, r'warning: .*objects\[0\]: "block" begins 0\.3 m inside the collider "ground": it is moved by '
                               r"\[0, 0\.3, 0\]")
        with open(self.path("s.json")) as f:
            stats = json.load(f)
        self.assertAlmostEqual(stats["objects"][0]["com_start"][1], 0.05, 6)
        self.assertAlmostEqual(stats["objects"][0]["mass"], 1, 6)
        self.assertEqual(len(stats["warnings"]), 1)
        self.assertIn("is moved by", stats["warnings"][0])
        self.scene["objects"][0].update(position=[0, 0.5, 0], scale=2000)
        self.assertRegex(self.limber("check", self.write_scene()).stderr, r"is 400 m large: is the mesh in other units\?")
        with open(self.path("sheet.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
        self.scene["objects"][0].update(scale=1, mesh="sheet.obj")
        self.assertRegex(self.limber("check", self.write_scene()).stderr, "is flat, and simulated as a solid")
        self.scene["objects"][0].update(lattice=False)
        self.assertEqual(self.limber("check", self.write_scene()).stderr, "")
        self.scene["objects"][0].update(mesh="cube.node")
        del self.scene["objects"][0]["lattice"]
        self.assertEqual(self.limber("check", self.write_scene()).stderr, "")

    def test_show(self):
        """Meshes, and what is simulated, as pictures; each word changes what is seen."""
        self.scene["size"] = [96, 64]
        self.scene["objects"][0].update(position=[0, 0, 0], groups={"top": {"box": [[-1, 0.1, -1], [1, 1, 1]]}})
        self.write_scene()
        with open(self.path("cube.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
        pictures = set()

        def draw(what, *words):
            self.limber("render", what, "--out", "a.png", "--size", "96x64", *words)
            with open(self.path("a.png"), "rb") as f:
                pictures.add(f.read())
        for words in ((), ("--show", "edges"), ("--show", "lattice")):
            draw("cube.obj", *words)
        for words in (("cage",), ("lattice",), ("groups",), ("strain", "--frame", "3"), ("contacts,groups", "--frame", "3")):
            draw("scene.json", "--show", *words)
        self.assertEqual(len(pictures), 8)
        self.bad("--show has hair, knows lattice", "render", "scene.json", "--out", "b.png", "--show", "lattice,hair")
        self.bad("must end in .png", "render", "scene.json", "--out", "b.mp4", "--show", "lattice")
        self.bad("a mesh does not move", "render", "cube.obj", "--out", "b.mp4")
        self.bad("give --show its scene", "render", "a.lmc", "--out", "b.png", "--show", "cage")

    def test_key_in_an_obstacle(self):
        """Only the engine knows where a pose is: check tells it with its place, in the words of run."""
        self.scene["colliders"].append({"shape": "sphere", "radius": 0.3, "keys": [
            {"time": 0, "position": [9, 2, 0]}, {"time": 1, "position": [2, 2, 0]}]})
        self.scene["seconds"] = 1
        design = {"nodes": 12, "voxels": 1000, "keys": [{"time": 0}, {"time": 1, "position": [2, 2, 0]}]}
        self.scene["objects"] = [{"engine": "design", "mesh": os.path.join(SOURCE, "gallery/assets/drop.ply"),
                                  "position": [0, 1, 0], "design": design}]
        scene = self.write_scene()
        said = r"scene.json: objects\[0\]\.design\.keys\[1\]: is 0\.\d+ m inside colliders\[1\] at 1 s; move it out"
        self.bad(said, "check", scene, lines=1)
        self.assertRegex(self.limber("run", scene, code=2).stderr, said)
        design["keys"][1]["time"] = 0.5  # the ball is elsewhere then
        self.assertIn("good", self.limber("check", self.write_scene()).stdout)
        del design["keys"]
        self.scene["objects"][0]["position"] = [0, -1, 0]
        self.bad(r"objects\[0\]\.position: is .* m inside colliders\[0\] at 0 s", "check", self.write_scene(), lines=1)

    def test_regions(self):
        self.scene["objects"][0]["groups"] = {"low": [0, 1, 4, 5]}
        self.scene["objects"][0]["match"] = {"locality": "groups", "groups": ["low"]}
        scene = self.write_scene()
        self.limber("regions", scene, "--out", "r.json")
        with open(self.path("r.json")) as f:
            regions = json.load(f)["objects"][0]["regions"]
        self.assertEqual([r["weight_row"] for r in regions], [0, 0, 1, 1, 0, 0, 1, 1])
        for r in regions:
            self.assertIn(r["vertex"], r["vertices"])
            self.assertEqual(r["vertices"], sorted(set(r["vertices"])))
            for v in r["vertices"]:  # rings are symmetric
                self.assertIn(r["vertex"], regions[v]["vertices"])
        self.limber("regions", scene, "--out", "r.png", "--object", "block", "--vertex", "3")
        self.bad("no such object", "regions", scene, "--out", "x.png", "--object", "blok")
        self.bad("unknown ending", "regions", scene, "--out", "x.txt")
        self.bad("has no nodes", "regions", scene, "--out", "x.png", "--paths")

    def test_gallery_lists(self):
        said = self.limber("gallery", "--list").stdout
        for name in "twist", "slope", "beta", "teddy", "local", "cylinders", "cars":
            self.assertIn("match/" + name, said)
        self.bad("no such scene", "gallery", "match/nothing")
        self.bad("nothing: no such scene", "gallery", "--list", "match", "nothing")
        for word in "twist", "match/twist", "match/twist.json":
            self.assertRegex(self.limber("gallery", "--list", word).stdout, r"^match/twist .*\n$")
        self.assertEqual(self.limber("gallery", "--list", "match/").stdout, self.limber("gallery", "--list", "match").stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
