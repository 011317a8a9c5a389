"""Walkers in the plane keep walking: at the commanded speed both ways, pushed, on slopes, softer and stiffer, at other
time steps, and for a minute; and they come to stand where they shall. Usage: test_walkers.py LIMBER SOURCE"""

import json
import os
import subprocess
import sys
import tempfile

limber, source = sys.argv[1], sys.argv[2]
act = os.path.join(source, "gallery", "act")

# Height (m), mass (kg) and speed (m/s) of each; "scene:object" is one of several.
WALKERS = {
    "castle-1": (1, 0.6, 0.3),
    "castle-2": (1, 0.23, 0.3),
    "pirate": (1.34, 0.74, 0.3),
    "letters:R": (1, 0.53, 0.3),
    "letters:A": (1, 0.44, 0.3),
    "letters:H": (1, 0.5, 0.3),
}
PUSH = 0.2  # m/s for a body of 1 m


def slope(degrees):
    def change(scene):
        scene["colliders"][0]["rotation"] = {"axis": [0, 0, 1], "degrees": degrees}
    return change


def stiffness(factor):
    def change(scene):
        for key in ("stretch", "volume", "bend"):
            if key in scene["objects"][0]["act"]:
                scene["objects"][0]["act"][key] *= factor
    return change


def steps(fps, substeps):
    def change(scene):
        scene["fps"] = fps
        scene["objects"][0]["substeps"] = substeps
    return change


def push(speed):
    def change(scene):
        scene["objects"][0]["pushes"] = [{"time": 2.2, "impulse": [speed, 0, 0]}]
    return change


def stop_and_go(speed):
    def change(scene):
        keys = [[0, speed, 0, 0], [2.5, speed, 0, 0], [2.51, 0, 0, 0], [5, 0, 0, 0], [5.01, speed, 0, 0]]
        scene["objects"][0]["act"]["commands"][0]["velocity"] = keys
    return change


def to_place(x, speed):
    def change(scene):
        scene["objects"][0]["act"]["commands"] = [{"do": "walk", "to": [x, 0, 0], "speed": speed}]
    return change


def alone(name):
    """The scene of a walker, and nobody else in it; it walks all the time."""
    name, _, chosen = name.partition(":")
    with open(os.path.join(act, name + ".json")) as f:
        scene = json.load(f)
    scene["objects"] = [o for o in scene["objects"] if chosen in ("", o["name"])]
    o = scene["objects"][0]
    o.pop("surface", None)
    o["position"] = [0, 0, 0]
    walk = next(c for c in o["act"]["commands"] if c["do"] == "walk")
    o["act"]["commands"] = [{k: v for k, v in walk.items() if k not in ("start", "end", "to", "speed")}]
    return scene


def run(name, change, velocity, seconds, folder):
    scene = alone(name)
    scene["objects"][0]["act"]["commands"][0]["velocity"] = [velocity, 0, 0]
    change(scene)

    def absolute(value):
        if isinstance(value, dict):
            return {k: absolute(v) for k, v in value.items()}
        if isinstance(value, list):
            return [absolute(v) for v in value]
        return os.path.join(act, value) if isinstance(value, str) and value.startswith("../assets/") else value

    path, stats = os.path.join(folder, "scene.json"), os.path.join(folder, "stats.json")
    with open(path, "w") as f:
        json.dump(absolute(scene), f)
    done = subprocess.run([limber, "run", path, "--seconds", str(seconds), "--out", os.path.join(folder, "a.lmc"),
                           "--stats", stats, "--quiet", "--threads", "1"], capture_output=True, text=True, timeout=3600)
    if done.returncode:
        return None, done.stderr
    with open(stats) as f:
        return json.load(f)["objects"][0], ""


def problems(o, height, velocity, seconds):
    # half a second of shifting the weight, then a step in 0.3 s; a push or a slope may cost a few: 0.6 / 0.3 in a second
    least = 2 * (seconds - 0.5)
    way = o["com_end"][0] - o["com_start"][0]
    if o["steps_verified"] < least:
        yield "only %d steps" % o["steps_verified"]
    if o["tilt_max"] > 0.5 or o["toppled"]:
        yield "it tilts by %g" % o["tilt_max"]
    if way / velocity < 0.6 * (seconds - 0.5):
        yield "it comes %g m far" % way
    for key, most in (("internal_force_sum", 1e-10), ("friction_violation", 0.01)):
        if not o[key] < most:
            yield "%s is %g" % (key, o[key])
    if o["max_penetration"] > 0.02 * height:
        yield "it is %g m deep in the ground" % o["max_penetration"]


bad = count = 0
with tempfile.TemporaryDirectory(prefix="limber-walkers-") as folder:
    for name, (height, mass, speed) in WALKERS.items():
        cases = [
            ("to the left", steps(25, 2), -speed, 20),
            ("pushed on", push(PUSH * height * mass), speed, 4.5),
            ("pushed back", push(-PUSH * height * mass), speed, 4.5),
            ("uphill", slope(3), speed, 5),
            ("downhill", slope(-3), speed, 5),
            ("softer", stiffness(0.7), speed, 4),
            ("stiffer", stiffness(1.3), speed, 4),
            ("steps of 0.01 s", steps(25, 4), speed, 4),
            ("steps of 0.033 s", steps(30, 1), speed, 4),
            ("a minute", steps(25, 2), speed, 60),
        ]
        for label, change, velocity, seconds in cases:
            o, error = run(name, change, velocity, seconds, folder)
            found = [error] if o is None else list(problems(o, height, velocity, seconds))
            if o is not None and seconds >= 20:
                got = (o["com_end"][0] - o["com_start"][0]) / (seconds - 0.5)
                if abs(got - velocity) > 0.15 * speed:
                    found.append("its velocity is %g, not %g m/s" % (got, velocity))
            for problem in found:
                print("%s, %s: %s" % (name, label, problem))
            bad += bool(found)
            count += 1
        places = [run(name, stop_and_go(speed), speed, seconds, folder)[0]["com_end"][0] for seconds in (4.6, 5, 8)]
        if abs(places[1] - places[0]) > 0.002 * height or places[2] - places[1] < speed:
            print("%s, stop and go: it is at %g, %g and %g m" % (name, *places))
            bad += 1
        ends = [run(name, to_place(-0.8, speed), speed, seconds, folder)[0]["com_end"][0] for seconds in (7.6, 8)]
        if abs(ends[1] + 0.8) > 0.05 * height or abs(ends[1] - ends[0]) > 0.002 * height:
            print("%s, to a place: it is at %g, then at %g m, and shall stand at -0.8 m" % (name, ends[0], ends[1]))
            bad += 1
        count += 2
print("%d passed, %d failed" % (count - bad, bad))
sys.exit(bad > 0)
