"""Cloth as people bring it: meshes and guides as they are found. Usage: test_cloth.py LIMBER SOURCE"""

import array
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

LIMBER, SOURCE = sys.argv[1], sys.argv[2]


def sheet(n=6, size=1.0):
    """Vertices and triangles of a level sheet."""
    points = [[size * i / n, 0.0, size * j / n] for j in range(n + 1) for i in range(n + 1)]
    triangles = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            triangles += [[a, a + n + 1, a + 1], [a + 1, a + n + 1, a + n + 2]]
    return points, triangles


class Cloth(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="limber-cloth-")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def obj(self, name, points, triangles, tail=""):
        with open(self.path(name), "w") as f:
            for p in points:
                f.write("v %.9g %.9g %.9g\n" % tuple(p))
            for t in triangles:
                f.write("f %d %d %d\n" % tuple(v + 1 for v in t))
            f.write(tail)

    def scene(self, track, seconds=0.1, name="scene.json", **more):
        scene = {"limber": 1, "seconds": seconds,
                 "objects": [dict({"name": "cloth", "engine": "track", "mesh": "cloth.obj", "track": track}, **more)]}
        with open(self.path(name), "w") as f:
            json.dump(scene, f)
        return name

    def limber(self, *words, code=0):
        run = subprocess.run([LIMBER, *words], cwd=self.folder, capture_output=True, text=True, timeout=3600)
        self.assertEqual(run.returncode, code, "limber %s\n%s%s" % (" ".join(words), run.stdout, run.stderr))
        self.assertNotRegex(run.stderr, "Sanitizer")
        return run

    def positions(self, name):
        with open(self.path(name)) as f:
            return [list(map(float, line.split()[1:4])) for line in f if line.startswith("v ")]

    def test_repair(self):
        """A seam of doubled vertices, a flat triangle, one that is there twice, a loose vertex: all come back, the seam closed."""
        points, triangles = sheet()
        seam = [v for v in range(49) if v % 7 == 3]
        doubles = {v: 49 + k for k, v in enumerate(seam)}
        right = [[doubles.get(v, v) for v in t] if max(points[v][0] for v in t) > 0.51 else t for t in triangles]
        points += [points[v] for v in seam] + [[0.3, 2, 0.3]]
        bad = right + [[0, 1, 2], right[5]]
        self.obj("cloth.obj", points, bad)
        scene = self.scene({"wind": [3, 0, 0], "air_drag": 1}, pins=[{"vertices": [0, doubles[seam[0]]]}])
        found = json.loads(self.limber("check", scene, "--json").stdout)
        self.assertTrue(found["good"], found)
        self.assertEqual(found["repaired"], [{"object": "cloth", "doubled": sorted(doubles.values()), "flat": [len(right)],
                                              "repeated": [len(right) + 1], "loose": [56]}])
        run = self.limber("run", scene, "--out", "out-{frame}.obj", "--out", "out.pc2", "--stats", "stats.json")
        self.assertRegex(run.stderr, "7 doubled vertices are welded, 1 triangle without area is ignored, 1 repeated triangle "
                                     "is ignored, 1 loose vertex rides along")
        last = self.positions("out-0002.obj")
        self.assertEqual(len(last), len(points))
        for one, two in doubles.items():
            self.assertEqual(last[one], last[two])
        for found, wanted in zip(last[seam[0]], points[seam[0]]):  # pinned by its double
            self.assertAlmostEqual(found, wanted, 6)
        self.assertNotEqual(last[20], points[20])
        with open(self.path("stats.json")) as f:
            self.assertEqual(json.load(f)["objects"][0]["intersections"], 0)
        # the same mesh leads itself, with the vertices of its file
        scene = self.scene({"guide": "out.pc2", "regions": 4})
        self.limber("run", scene, "--out", "again.pc2")
        run = self.limber("check", self.scene({"repair": False}), code=2)
        self.assertRegex(run.stderr, "belongs to no triangle")
        run = self.limber("check", self.scene({}, pins=[{"vertices": [56]}]), code=2)
        self.assertRegex(run.stderr, r"pins\[0\].vertices\[0\]: is vertex 56, which belongs to no triangle")
        run = self.limber("check", self.scene({}, pins=[{"vertices": [57]}]), code=2)
        self.assertRegex(run.stderr, r"is vertex 57, but the mesh has 57")

    def test_subdivided_repair(self):
        """Subdivision goes on from what is left; guides of the file's vertices are taken."""
        points, triangles = sheet(2)
        points.append(points[4])  # the middle again, for the last two triangles
        triangles[-2:] = [[9 if v == 4 else v for v in t] for t in triangles[-2:]]
        self.obj("cloth.obj", points, triangles)
        for k in range(3):
            self.obj("guide-%04d.obj" % k, [[p[0], p[1] + 0.01 * k, p[2]] for p in points], triangles)
        scene = self.scene({"subdivide": 2, "guide": {"file": "guide-{frame}.obj", "last": 2}})
        self.limber("run", scene, "--out", "out-{frame}.obj")
        self.assertEqual(len(self.positions("out-0001.obj")), 81)

    def guide(self, name, points, triangles, count=3, place=lambda p: p):
        for k in range(count):
            self.obj(name % k, [place([p[0], p[1] + 0.01 * k, p[2]]) for p in points], triangles)

    def check(self, track, **more):
        found = json.loads(self.limber("check", self.scene(track, **more), "--json").stdout)
        self.assertTrue(found["good"], found)
        return found["warnings"]

    def test_guide_in_another_space(self):
        """Centimetres, z up and moved: recognised, said with what to write, and what is said brings it back."""
        points, triangles = sheet()
        for p in points:
            p[1] = 0.3 * p[0] * p[0] + 0.1 * p[2]  # not flat: its turn can be told
        self.obj("cloth.obj", points, triangles)
        placing = {"position": [1, 2, 3], "rotation": {"axis": [0, 1, 0], "degrees": 30}}
        self.guide("good-%d.obj", points, triangles)
        self.assertEqual(self.check({"guide": "good-{frame}.obj", "regions": 4}, **placing), [])
        self.guide("cm-%d.obj", points, triangles, place=lambda p: [100 * p[0] + 40, -100 * p[2], 100 * p[1] - 7])
        warnings = self.check({"guide": "cm-{frame}.obj", "regions": 4}, **placing)
        self.assertEqual(len(warnings), 1, warnings)
        self.assertRegex(warnings[0], r"objects\[0\]\.track\.guide\.file: its first frame is the mesh with other axes, 100 times as large")
        advice = json.loads("{%s}" % warnings[0].split("write ", 1)[1])
        self.assertEqual(set(advice), {"scale", "rotation", "offset"})
        self.assertEqual(self.check({"guide": dict(advice, file="cm-{frame}.obj"), "regions": 4}, **placing), [])
        ends = []
        for guide in ("good-{frame}.obj", dict(advice, file="cm-{frame}.obj")):
            self.limber("run", self.scene({"guide": guide, "regions": 4}, **placing), "--out", "out-{frame}.obj")
            ends.append(self.positions("out-0002.obj"))
        for one, two in zip(*ends):
            for a, b in zip(one, two):
                self.assertAlmostEqual(a, b, 2)
        # bent at the start: the unit and the axes are told all the same
        self.guide("bent-%d.obj", points, triangles,
                   place=lambda p: [100 * p[0], -100 * p[2], 100 * p[1] + 12 * math.sin(20 * p[0] - 1)])
        warning = self.check({"guide": "bent-{frame}.obj", "regions": 4})[0]
        self.assertRegex(warning, r"the mesh deformed, with other axes, 100 times as large")
        advice = json.loads("{%s}" % warning.split("write ", 1)[1])
        self.assertEqual((advice["scale"], advice["rotation"]), (0.01, {"axis": [-1, 0, 0], "degrees": 90}))
        # a mirror, a start far away, a vertex out of this world
        self.guide("mirror-%d.obj", points, triangles, place=lambda p: [-p[0], p[1], p[2]])
        self.assertRegex(self.check({"guide": "mirror-{frame}.obj", "regions": 4})[0], "in a mirror")
        self.guide("far-%d.obj", points, triangles, place=lambda p: [p[0], p[1] + 50, p[2]])
        warning = self.check({"guide": "far-{frame}.obj", "regions": 4})[0]
        self.assertRegex(warning, r"is 50 m away from the mesh.*\"offset\": \[.*, -50, .*\]")
        self.assertEqual(self.check({"guide": "far-{frame}.obj", "regions": 4, "preroll": 1}), [])
        self.guide("broken-%d.obj", points, triangles, place=lambda p: p if p != [0, 0.02, 0] else [1e8, 0, 0])
        self.assertRegex(self.check({"guide": "broken-{frame}.obj", "regions": 4})[-1], "has vertex 0 at 1e.08 m in frame 2")

    def test_rows_of_meshes(self):
        """Any number of digits, from 0 or 1, to the last there is."""
        points, triangles = sheet(2)
        self.obj("cloth.obj", points, triangles)
        for digits, first, count in ((1, 0, 12), (3, 1, 3), (4, 0, 2), (6, 7, 2)):
            name = "row%d-" % digits
            for k in range(first, first + count):
                self.obj("%s%0*d.obj" % (name, digits, k), [[p[0], 0.1 * k, p[2]] for p in points], triangles)
            guide = {"file": name + "{frame}.obj", "fps": 1000}
            if first > 1:
                guide["first"] = first
            self.limber("run", self.scene({"guide": guide, "regions": 1, "bend": 1}, seconds=0.5), "--out", "end-{frame}.obj")
            middle = sum(p[1] for p in self.positions("end-0012.obj")) / len(points)
            self.assertAlmostEqual(middle, 0.1 * (first + count - 1), 2)
        run = self.limber("check", self.scene({"guide": "none-{frame}.obj"}), code=2)
        self.assertRegex(run.stderr, "none-0000.obj")

    def test_fields(self):
        """One field for cloth, body and character: all are carried along alike, for any number of threads, and resumed."""
        points, triangles = sheet(3)
        self.obj("cloth.obj", points, triangles)
        self.obj("flat.obj", [[p[0], p[2], 0] for p in points], [[t[0], t[2], t[1]] for t in triangles])
        ball = os.path.join(SOURCE, "gallery/assets/ball.msh")
        scene = {"limber": 1, "seconds": 0.5, "gravity": [0, 0, 0],
                 "fields": [{"kind": "wind", "velocity": [[0, 2, 0, 0], [0.25, 2, 0, 0], [0.5, 4, 0, 0]], "drag": 3, "gust": 0.2},
                            {"kind": "turbulence", "strength": 0.1, "size": 3, "seed": 4}],
                 "objects": [{"name": "cloth", "engine": "track", "mesh": "cloth.obj", "position": [0, 4, 0], "track": {}},
                             {"name": "ball", "engine": "match", "mesh": ball, "position": [0, 8, 0], "match": {}},
                             {"name": "actor", "engine": "act", "mesh": "flat.obj", "act": {"model": "solid2"}}]}

        def write(name="fields.json"):
            with open(self.path(name), "w") as f:
                json.dump(scene, f)
            return name

        def run(*words):
            self.limber("run", write(), "--out", "fields.lmc", "--stats", "stats.json", *words)
            with open(self.path("stats.json")) as f:
                return json.load(f)

        one = run("--threads", "1")
        ways = [o["com_end"][0] - o["com_start"][0] for o in one["objects"]]
        self.assertGreater(min(ways), 0.3)
        self.assertLess(max(ways) - min(ways), 0.15, ways)  # the same for all, but for the eddies
        self.assertEqual(run("--threads", "2")["hash"], one["hash"])
        run("--seconds", "0.25")
        self.assertEqual(run("--resume")["hash"], one["hash"])
        scene["fields"] = [{"kind": "wind"}, {"kind": "vortex", "axis": [0, 0, 0]}, {"kind": "attractor", "velocity": [1, 0, 0]},
                           {"kind": "turbulence", "size": -1}, {"kind": "storm"}]
        said = self.limber("check", write(), code=2).stderr
        for sentence in (r"fields\[0\]: has no velocity", r"fields\[1\].*axis", r"fields\[2\]\.velocity", r"fields\[3\]\.size",
                         r"fields\[4\]\.kind"):
            self.assertRegex(said, sentence)

    def test_materials(self):
        """Numbers and density follow the name, and each can be given."""
        points, triangles = sheet(3)
        self.obj("cloth.obj", points, triangles)
        masses = {}
        for key, track, more in (("denim", {"material": "denim"}, {}), ("own", {"material": "denim"}, {"density": 2}),
                                 ("none", {}, {})):
            self.limber("run", self.scene(track, seconds=0.05, **more), "--out", "a.pc2", "--stats", "stats.json")
            with open(self.path("stats.json")) as f:
                stats = json.load(f)
            masses[key] = stats["objects"][0]["mass"]
        for key, mass in (("denim", 0.4), ("own", 2), ("none", 0.2)):
            self.assertAlmostEqual(masses[key], mass, 9)
        run = self.limber("check", self.scene({"material": "denin"}), code=2)
        self.assertRegex(run.stderr, r"objects\[0\]\.track\.material.*denim")

    def cache(self, path):
        """Frames of a .pc2, each a list of places."""
        with open(path, "rb") as f:
            _, _, count, _, _, frames = struct.unpack("<12siiffi", f.read(32))
            numbers = array.array("f", f.read(12 * count * frames))
        return [[numbers[3 * i:3 * i + 3] for i in range(k * count, (k + 1) * count)] for k in range(frames)]

    def test_feet_do_not_slip(self):
        """Xavier's feet, painted finely: while one stands it slips by less than 1 % of the height."""
        with open(os.path.join(SOURCE, "gallery/track/xavier.json")) as f:
            scene = json.loads(f.read().replace("../assets", os.path.join(SOURCE, "gallery/assets")))
        scene["objects"], scene["seconds"] = scene["objects"][:1], 0.5
        with open(self.path("scene.json"), "w") as f:
            json.dump(scene, f)
        self.limber("run", "scene.json", "--out", "cloth.pc2")
        guide, cloth = self.cache(os.path.join(SOURCE, "gallery/assets/xavier-act.pc2")), self.cache(self.path("cloth.pc2"))
        low, height = (min(p[1] for p in guide[0]), max(p[1] for p in guide[0]))
        height -= low
        stands, worst = 0, 0
        for v, place in enumerate(guide[0]):
            start = None
            for k, frame in enumerate(cloth):
                if guide[k][v][1] - low > 0.005 * height:
                    start = None
                elif start is None:
                    start = frame[v]
                else:
                    stands += 1
                    worst = max(worst, math.hypot(frame[v][0] - start[0], frame[v][2] - start[2]))
        self.assertGreater(stands, 50)
        self.assertLess(worst, 0.01 * height)

    def test_preview_is_the_one_of_the_flag(self):
        with open(os.path.join(SOURCE, "gallery/track/flag.json")) as f:
            flag = json.load(f)
        with open(os.path.join(SOURCE, "gallery/track/flag-preview.json")) as f:
            preview = json.load(f)
        self.assertEqual(preview["objects"], flag["objects"][:1])
        self.assertEqual(preview["colliders"], flag["colliders"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
