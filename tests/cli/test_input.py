"""Bad input, and outputs that cannot be written: one clear sentence, nothing left. Usage: test_input.py LIMBER SOURCE"""

import json
import os
import resource
import shutil
import signal
import struct
import sys
import unittest

from command import SOURCE, Command, cube


class Input(Command):
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
