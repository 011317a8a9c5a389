"""The command as people meet it: verbs, endings, exit codes, what it says and draws. Usage: test_cli.py LIMBER SOURCE"""

import json
import math
import os
import pty
import re
import shutil
import subprocess
import sys
import unittest

from command import LIMBER, SOURCE, Command, cube


class Verbs(Command):
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
        self.assertRegex(shown, r"simulating .*%.* s per frame")

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
