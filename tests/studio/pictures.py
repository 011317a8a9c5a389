"""pictures.py: pictures of the studio for README.md and docs/live.md, made in headless Chromium.

    python3 tests/studio/pictures.py build/limber gallery docs/pictures [name ...]

studio.webp is a figure, opened as a mesh, that walks by an arrow key, is pulled at its head by hand and walks on: the world is paused and
stepped, so that a slow machine makes the same picture as a fast one.
"""
import glob
import os
import subprocess
import sys
import tempfile
import time

import browser
from browser import Browser


class Camera:
    def __init__(self, limber, gallery, into):
        self.limber, self.gallery, self.into = limber, gallery, into

    def open(self, scene, width=1280, height=720, dark=False):
        page = Browser(self.limber, os.path.join(self.gallery, scene) if scene else None, width, height, dark)
        page.driver.execute_script("localStorage.setItem('limber-quality', 'high'); localStorage.setItem('limber-hint', 'seen')")
        page.driver.refresh()
        page.until("window.studio && studio.hello && (studio.mode === 'gallery' || studio.drawn > 1)")
        return page

    def keep(self, page, name):
        frame = page.js("studio.drawn")
        if page.js("studio.state.playing"):
            page.until(f"studio.drawn > {frame}")
        png = os.path.join(tempfile.gettempdir(), name + ".png")
        page.driver.save_screenshot(png)
        out = os.path.join(self.into, name + ".jpg")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", png, "-q:v", "3", out], check=True)
        print(out, os.path.getsize(out))


def at_frame(page, frame):
    page.until(f"studio.state.frames >= {frame}", 300)
    page.pause()


def step(page):
    frame = page.js("studio.frame")
    page.key(".")
    page.until(f"studio.frame > {frame}")
    page.until("studio.settled")


def studio_match(camera):
    with camera.open("match/teddy.json") as page:
        page.pause()
        page.key("r")
        page.until("studio.frame === 0 && studio.settled")
        x, y = page.where("teddy")
        row = [page.js(f"studio.over({x + dx}, {y - 30})") for dx in range(0, 300, 6)]
        hand = 6 * max(k for k, name in enumerate(row) if name == "teddy") - 14  # its paw
        page.drag(x + hand, y - 30, 90, -100, release=False)
        page.until("studio.holding === 1")
        for _ in range(24):
            step(page)
        camera.keep(page, "studio-match")
        page.release()


def studio_act(camera):
    with camera.open("act/crusty-2.json", dark=True) as page:
        page.pause()
        page.key("r")
        page.until("studio.frame === 0")
        page.key("t")
        page.key("v")
        page.press(browser.Keys.ARROW_RIGHT)
        for _ in range(50):
            step(page)
        camera.keep(page, "studio-act")
        page.lift(browser.Keys.ARROW_RIGHT)


def studio_track(camera):
    with camera.open("track/box.json") as page:
        at_frame(page, 6)
        camera.keep(page, "studio-track")


def studio_design(camera):
    with camera.open("design/pose.json") as page:
        at_frame(page, 1)
        camera.keep(page, "studio-design")


def studio_gallery(camera):
    with camera.open(None) as page:
        page.until("[...document.querySelectorAll('#gallery img')].slice(0, 8).every(i => i.complete && i.naturalWidth > 0)", 300)
        camera.keep(page, "studio-gallery")


def studio_paint(camera):
    with camera.open("match/teddy.json", width=1024, height=640) as page:
        page.pause()
        page.key("b")
        page.until("studio.tool === 'paint'")
        x, y = page.where("teddy")
        page.drag(x - 50, y - 20, 100, 30)
        time.sleep(2)
        camera.keep(page, "studio-paint")


def studio(camera):
    """The moving picture."""
    shots = tempfile.mkdtemp()
    with camera.open("assets/parade-imp.obj", width=800, height=520) as page:
        page.pause()
        page.key("r")
        page.until("studio.frame === 0")
        page.key("q")
        page.key("f")
        page.key("v")  # the camera follows
        for _ in range(4):
            page.mouse("mouseWheel", 400, 150, deltaX=0, deltaY=-120)
        page.until("document.querySelectorAll('.note').length === 0")
        count = 0

        def film(frames, each=lambda k: None):
            nonlocal count
            for k in range(frames):
                each(k)
                step(page)
                if k % 3 == 0:
                    page.driver.save_screenshot(os.path.join(shots, f"{count:04d}.png"))
                    count += 1

        page.press(browser.Keys.ARROW_RIGHT)
        film(75)
        x, y = page.where("parade-imp")
        while page.js(f"studio.over({x}, {y - 10})") == "parade-imp":
            y -= 10
        page.mouse("mousePressed", x, y)
        page.mouse("mouseMoved", x - 6, y)
        page.until("studio.holding === 1")
        film(36, lambda k: page.mouse("mouseMoved", x - 6 - 3 * k, y - k))
        page.mouse("mouseReleased", x - 6 - 3 * 36, y - 36)
        film(90)
        page.lift(browser.Keys.ARROW_RIGHT)
    out = os.path.join(camera.into, "studio.webp")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-framerate", "12.5", "-i", os.path.join(shots, "%04d.png"),
                    "-c:v", "libwebp_anim", "-quality", "60", "-compression_level", "5", "-loop", "0", out], check=True)
    for path in glob.glob(os.path.join(shots, "*.png")):
        os.unlink(path)
    os.rmdir(shots)
    print(out, os.path.getsize(out))


def main():
    if not browser.available():
        print("chromium, chromium-driver or python3-selenium is missing")
        return 77
    limber, gallery, into = (os.path.abspath(path) for path in sys.argv[1:4])
    os.makedirs(into, exist_ok=True)
    pictures = [studio_match, studio_act, studio_track, studio_design, studio_gallery, studio_paint, studio]
    wanted = sys.argv[4:]
    for make in pictures:
        if not wanted or make.__name__ in wanted:
            make(Camera(limber, gallery, into))
    return 0


if __name__ == "__main__":
    sys.exit(main())
