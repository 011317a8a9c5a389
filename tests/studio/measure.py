#!/usr/bin/env python3
"""measure.py LIMBER GALLERY [WxH]: how quick the page is, in a real Chromium: from a move of the pointer to the picture that
shows what it did, and what JavaScript takes per drawn frame. Chromium draws with the processor here, so run it on an
idle machine; on a busy one the numbers are those of the waiting. A smaller window tells the drawing of pixels from
the rest.

    /usr/bin/python3 tests/studio/measure.py build/limber gallery
"""
import json
import math
import os
import sys
import tempfile
import time

from browser import Browser, available

MOVES = 60


def ball(path, rings, around):
    """A ball of radius 0.5 m with rings x around + 2 vertices."""
    with open(path, "w") as file:
        for r in range(1, rings + 1):
            for a in range(around):
                tilt, turn = math.pi * r / (rings + 1), 2 * math.pi * a / around
                x, y, z = math.sin(tilt) * math.cos(turn), math.cos(tilt), math.sin(tilt) * math.sin(turn)
                file.write(f"v {x / 2:.6f} {y / 2:.6f} {z / 2:.6f}\n")
        file.write("v 0 0.5 0\nv 0 -0.5 0\n")
        top, bottom = rings * around + 1, rings * around + 2
        at = lambda r, a: r * around + a % around + 1
        for a in range(around):
            file.write(f"f {top} {at(0, a + 1)} {at(0, a)}\nf {bottom} {at(rings - 1, a)} {at(rings - 1, a + 1)}\n")
            for r in range(rings - 1):
                file.write(f"f {at(r, a)} {at(r, a + 1)} {at(r + 1, a + 1)} {at(r + 1, a)}\n")
    return rings * around + 2


def scene(folder, rings, around):
    count = ball(os.path.join(folder, "ball.obj"), rings, around)
    path = os.path.join(folder, "ball.json")
    with open(path, "w") as file:
        json.dump({"limber": 1, "fps": 30, "seconds": 60, "colliders": [{"name": "ground", "shape": "plane"}],
                   "objects": [{"name": "ball", "engine": "match", "mesh": "ball.obj", "position": [0, 0.6, 0],
                                "lattice": {"vertices": 300}}]}, file)
    return count, path


def drag(page, name):
    """Drags to and fro, by single moves, so that each can be waited for."""
    x, y = page.where(name)
    page.mouse("mousePressed", x, y)
    for k in range(1, 60):  # on a large surface it takes a moment to find what is under the pointer
        page.mouse("mouseMoved", x + 8 + k % 2, y)
        if page.js("studio.holding") == 1:
            break
        time.sleep(0.1)
    page.until("studio.holding === 1", 20)
    for k in range(MOVES):
        done = page.js("studio.delays")
        page.mouse("mouseMoved", x + 40 * math.sin(0.3 * k), y - 20 * math.sin(0.2 * k))
        page.until(f"studio.delays > {done}")
        time.sleep(0.02 * (k % 5) / 4)  # at any moment of a frame
    page.mouse("mouseReleased", x, y)


def measure(limber, size, what, path, name):
    with Browser(limber, path, width=size[0], height=size[1]) as page:
        drag(page, name)
        delay, cost, parts = page.js("studio.delay"), page.js("studio.cost"), page.js("studio.delayParts")
        drawn = page.js("`${Math.round(100 * studio.sharpness) / 100}`")
    print(f"{what:28} input to drawn {delay:6.1f} ms (median of {MOVES}), JavaScript {cost:5.2f} ms per drawn frame\n"
          f"{'':28} of it " + ", ".join(f"{name} {value:.1f}" for name, value in parts.items() if name != "all") +
          f"; {drawn} pixels drawn per pixel; load {os.getloadavg()[0]:.1f}", flush=True)


def main():
    if not available():
        print("chromium, chromium-driver or python3-selenium is missing")
        return 77
    limber, gallery = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    size = [int(n) for n in sys.argv[3].split("x")] if len(sys.argv) > 3 and "x" in sys.argv[3] else [1280, 720]
    measure(limber, size, "match/twist, 30 Hz", os.path.join(gallery, "match/twist.json"), "cuboid")
    for rings, around in [] if "--twist" in sys.argv else ([(100, 100)] if "--short" in sys.argv else [(100, 100), (250, 400)]):
        with tempfile.TemporaryDirectory() as folder:
            count, path = scene(folder, rings, around)
            measure(limber, size, f"{count} vertices, 30 Hz", path, "ball")
    return 0


if __name__ == "__main__":
    sys.exit(main())
