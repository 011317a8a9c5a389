"""test_page.py: the studio's page, used as people use it: grab, commands, settings, time, takes, pose, paint, place.

    python3 tests/studio/test_page.py build/limber gallery [name of a test]

Every test starts a studio and a Chromium of its own, and ends with a console without errors.
"""
import glob
import os
import signal
import subprocess
import sys
import time
import traceback

import browser
from browser import Browser, available

TWIST, WALKER, CHARACTER = "match/twist.json", "act/crusty-2.json", "act/i-bent.json"


class Place:
    """Where things are: the command, and scenes of the gallery."""
    limber = gallery = None

    @classmethod
    def scene(cls, name):
        return os.path.join(cls.gallery, name)

    @classmethod
    def open(cls, name=None, **options):
        return Browser(cls.limber, cls.scene(name) if name else None, **options)


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


# ---- grab ----

def test_grab():
    with Place.open(TWIST) as page:
        page.until("!document.getElementById('hint').hidden")
        page.drag(*page.where("cuboid"), 140, 20, release=False)
        page.until("studio.holding === 1 && studio.overlay && studio.overlay.handles.length === 1")
        before = page.js("studio.center('cuboid')")
        page.until(f"Math.abs(studio.center('cuboid')[0] - {before[0]}) > 0.02 || studio.overlay.handles[0].at[0] > 0.1")
        page.release()
        page.until("studio.holding === 0 && studio.overlay.handles.length === 0")
        assert page.js("document.getElementById('hint').hidden")
        marks = page.until("studio.state.marks.some(m => m[1] === 'release') && studio.state.marks")
        assert marks[0][1] == "grab", marks
        page.driver.refresh()  # a page that comes again finds the world as it was, and no hint
        page.until("window.studio && studio.drawn > 0 && studio.state.marks.length >= 2")
        assert page.js("document.getElementById('hint').hidden")
        assert "token" not in page.driver.current_url


def test_pin_and_push():
    with Place.open(TWIST) as page:
        page.pause()
        for _ in range(20):  # on a busy machine two clicks may be too far apart to be one double click
            page.double_click(*page.where("cuboid"))
            if page.js("studio.state.marks.some(m => m[1] === 'pin')"):
                break
            time.sleep(0.2)
        page.key(" ")
        page.until("studio.overlay.handles.some(h => h.pin)")
        page.drag(*page.where("cuboid"), 120, 0, shift=True)
        page.until("studio.state.marks.some(m => m[1] === 'push')")
        assert page.js("studio.told").__len__() == 0


def test_look():
    with Place.open(TWIST) as page:
        before = page.js("studio.camera")
        page.drag(900, 250, -80, 30)
        after = page.js("studio.camera")
        assert abs(after["yaw"] - before["yaw"]) > 0.2 and after["distance"] == before["distance"]
        assert page.js("studio.holding") == 0
        page.key("0")
        page.until(f"Math.abs(studio.camera.yaw - {before['yaw']}) < 1e-6")


def test_touch():
    with Place.open(TWIST) as page:
        x, y = page.where("cuboid")
        touch = lambda kind, *points: page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]})
        touch("touchStart", (x, y))
        for k in range(1, 7):
            touch("touchMove", (x + 12 * k, y))
        page.until("studio.holding === 1")
        touch("touchEnd")
        page.until("studio.holding === 0 && studio.state.marks.some(m => m[1] === 'release')")
        before = page.js("studio.camera.distance")
        touch("touchStart", (880, 250))
        touch("touchStart", (880, 250), (940, 250))
        for k in range(1, 7):
            touch("touchMove", (880 - 8 * k, 250), (940 + 8 * k, 250))
        touch("touchEnd")
        page.until(f"studio.camera.distance < {0.8 * before}")
        assert page.js("studio.holding") == 0


# ---- commands ----

def test_held_key():
    with Place.open(WALKER) as page:
        start = page.js("studio.center('crusty')")
        page.focus()
        page.press(browser.Keys.ARROW_RIGHT)
        page.until("studio.state.doing.crusty === 'walk'")
        page.until(f"Math.hypot(studio.center('crusty')[0] - {start[0]}, studio.center('crusty')[2] - {start[2]}) > 0.15")
        page.lift(browser.Keys.ARROW_RIGHT)
        page.until("studio.state.doing.crusty === 'stand'")
        page.press(browser.Keys.ARROW_LEFT)
        page.until("studio.state.doing.crusty === 'walk'")
        page.driver.execute_script("window.dispatchEvent(new Event('blur'))")  # as when the window loses the focus
        page.until("studio.state.doing.crusty === 'stand'")
        page.lift(browser.Keys.ARROW_LEFT)


def test_figure():
    """A mesh opened by itself is a character that goes at a speed of its own size, and the camera goes along."""
    with Place.open("assets/parade-hound.obj") as page:
        assert page.js("studio.hello.objects[0].engine") == "act"
        target, start = page.js("studio.camera.target"), page.js("studio.center('parade-hound')")
        page.focus()
        page.press(browser.Keys.ARROW_RIGHT)
        page.until("studio.state.doing['parade-hound'] === 'walk'")
        page.until(f"studio.center('parade-hound')[0] - {start[0]} > 0.3")
        page.lift(browser.Keys.ARROW_RIGHT)
        page.until(f"studio.camera.target[0] - {target[0]} > 0.2")
        assert page.where("parade-hound")


def test_buttons_of_behaviours():
    with Place.open(CHARACTER) as page:
        names = page.js("studio.hello.objects[0].behaviours")
        shown = [node.get_attribute("data-behaviour") for node in page.all("#commands [data-behaviour]")]
        assert sorted(shown) == sorted(names), (shown, names)
        page.one("#commands [data-behaviour=crouch]").click()
        page.until("studio.state.doing.i === 'crouch'")
        page.one("#commands [data-behaviour=jump]").click()
        page.until("studio.state.marks.some(m => m[1] === 'jump')")
        page.key("x")
        page.until("studio.state.doing.i === 'stand'")
        page.click(880, 385)  # the ground: a place to go to
        page.until("studio.state.marks.some(m => m[1] === 'hop')")
        assert page.js("studio.told") == [], page.js("studio.told")


# ---- panel ----

def test_settings():
    with Place.open(TWIST) as page:
        page.type_into("#panel input[type=text][aria-label=beta]", "0.5")
        page.until("studio.state.settings.cuboid && studio.state.settings.cuboid.beta === 0.5")
        page.one("#panel input[type=range][aria-label=beta]").send_keys(browser.Keys.ARROW_RIGHT * 10)
        page.until("studio.state.settings.cuboid.beta > 0.505")
        page.focus()
        while page.js("studio.state.undo"):
            label = page.js("studio.state.undo")
            page.key("z", control=True)
            page.until(f"studio.state.undo !== {label!r} || studio.state.settings.cuboid?.beta !== 0.51")
        page.until("(studio.state.settings.cuboid?.beta ?? 0.995) === 0.995")
        page.key("z", control=True, shift=True)
        page.until("studio.state.settings.cuboid.beta !== 0.995")
        page.press("1")  # an example in full while its digit is held
        page.until("studio.state.examples.cuboid[0] === 1")
        page.lift("1")
        page.until("studio.state.examples.cuboid[0] === null")


def test_lists_have_no_sliders():
    """A designed figure: its keys are a list, which no slider can hold; it is posed, not dragged."""
    with Place.open("design/bounce.json") as page:
        assert page.all("#panel input[type=range][aria-label=nodes]")
        assert not page.all("#panel input[aria-label=keys]")
        assert "keys" in page.one("#panel .in-file").text
        assert "Pose" in page.one("#hint").text


def test_write_to_scene():
    with Place.open(TWIST) as page:
        page.type_into("#panel input[type=text][aria-label=beta]", "0.25")
        page.until("studio.state.settings.cuboid?.beta === 0.25")
        page.push("Write")
        page.until("studio.told.some(t => t.startsWith('saved'))")
        written = glob.glob(os.path.join(page.into, "**", "*.json"), recursive=True)
        assert any('"beta": 0.25' in open(path).read() for path in written), written
        assert '"beta": 0.25' not in open(Place.scene(TWIST)).read()


# ---- time ----

def test_transport():
    with Place.open(TWIST) as page:
        page.until("studio.state.frames > 30")
        page.pause()
        page.until("studio.frame === studio.state.frame")
        frame = page.js("studio.state.frame")
        page.key(".")
        page.until(f"studio.state.frame === {frame + 1} && studio.frame === {frame + 1}")
        at_end = page.js("studio.center('cuboid')")
        page.key(",")
        page.until(f"studio.state.frame === {frame} && studio.frame === {frame}")
        line = page.one(".line")
        box = line.rect
        length = max(page.js("studio.state.frames"), 150)
        x = box["x"] + 8 + (box["width"] - 16) * 20 / length
        page.drag(box["x"] + 8 + (box["width"] - 16) * frame / length, box["y"] + 25, x - (box["x"] + 8 + (box["width"] - 16) * frame / length), 0, steps=1)
        reached = page.until("studio.state.replaying && studio.state.frame === studio.frame && studio.state.frame")
        assert abs(reached - 20) <= 2, reached
        assert page.one("#badge").text in ("Replay", "Paused")
        line.send_keys(browser.Keys.END)
        page.until(f"studio.frame === {frame + 1}")
        assert distance(page.js("studio.center('cuboid')"), at_end) < 1e-9  # exactly as it was
        page.focus()
        page.key("r")
        page.until("studio.frame === 0")
        page.key(" ")
        page.until("studio.state.playing && studio.frame > 2")


def test_take_replays():
    with Place.open(WALKER) as page:
        page.focus()
        page.key("k")
        page.until("studio.state.recording")
        page.press(browser.Keys.ARROW_RIGHT)
        page.until("studio.state.doing.crusty === 'walk'")
        frame = page.js("studio.state.frame")
        page.until(f"studio.state.frame > {frame + 12}")
        page.lift(browser.Keys.ARROW_RIGHT)
        page.grab("crusty", 40, -10)
        page.release()
        frame = page.js("studio.state.frame")
        page.until(f"studio.state.frame > {frame + 8}")
        page.key("k")
        page.until("!studio.state.recording && studio.told.some(t => t.startsWith('saved'))")
        page.one(".keep").click()
        page.type_into(".menu:not([hidden]) input", "my-walk")  # Enter keeps it as a take
        page.until("studio.hello.takes.some(t => t.name.startsWith('my-walk'))")
        takes = glob.glob(os.path.join(page.into, "**", "*.take"), recursive=True)
        assert len(takes) >= 2, takes
        for take in takes:
            run = subprocess.run([Place.limber, "run", Place.scene(WALKER), "--take", take, "--out", os.path.join(page.folder, "again.lmc")],
                                 capture_output=True, text=True)
            assert run.returncode == 0 and "as recorded" in run.stdout + run.stderr, (take, run.stdout, run.stderr)
        page.pause()
        page.one(".ends button[aria-label=Takes]").click()
        next(node for node in page.all(".menu:not([hidden]) button") if node.text.startswith("my-walk")).click()
        page.until("studio.state.frame === 0 && studio.state.frames > 12")


def test_keep_picture():
    with Place.open(TWIST) as page:
        page.pause()
        page.one(".keep").click()
        next(node for node in page.all(".menu:not([hidden]) button") if node.text.startswith("Picture")).click()
        page.until("studio.told.some(t => t.startsWith('saved'))", 180)
        assert glob.glob(os.path.join(page.into, "**", "*.png"), recursive=True)


# ---- pose, paint, place ----

def test_pose():
    with Place.open(TWIST) as page:
        page.pause()
        page.focus()
        page.key("p")
        page.until("studio.tool === 'pose' && studio.state.pose")
        x, y = page.where("cuboid")
        page.drag(x, y - 60, 0, 0, steps=1, shift=True)  # one that holds
        page.until("studio.handles.length === 1")
        before = page.js("studio.center('cuboid')")
        page.drag(x, y + 60, 90, 0)
        page.until("studio.handles.length === 2")
        page.until(f"Math.abs(studio.center('cuboid')[0] - {before[0]}) > 0.01")
        count = page.js("studio.hello.objects[0].examples.length")
        name = page.one("#panel input[aria-label^='Name of the pose']")
        name.clear()
        name.send_keys("bent")
        page.push("Example pose", "#panel")
        page.until(f"studio.hello.objects[0].examples.length === {count + 1}")
        assert any("bent" in path for path in glob.glob(os.path.join(page.into, "**", "*"), recursive=True))


def test_no_pose_of_cloth():
    with Place.open("track/box.json") as page:
        page.focus()
        page.key("p")
        page.until("studio.told.length > 0 && studio.tool === 'direct'")
        assert page.js("studio.told.length") == 1 and "grab it" in page.js("studio.told[0]"), page.js("studio.told")


def test_key_of_design():
    """A figure is posed by hand and the pose kept as a key of its motion, which goes through it, and into the take."""
    with Place.open("design/six-keys.json") as page:
        page.until("studio.frame >= 10")
        page.pause()
        page.key("r")
        page.until("studio.frame === 0")
        for frame in range(1, 12):  # between two keys, however late the pause came
            page.key(".")
            page.until(f"studio.frame === {frame} && studio.state.frame === {frame}")
        keys = page.until("studio.state.keys && studio.state.keys.figure.length")
        page.focus()
        page.key("p")
        page.until("studio.tool === 'pose' && studio.state.pose")
        x, y = page.where("figure")
        before, frame = page.js("studio.center('figure')"), page.js("studio.state.frame")
        page.drag(x, y, 60, -40)
        page.until(f"studio.handles.length === 1 && studio.center('figure')[1] > {before[1]} + 0.02")
        posed = page.js("studio.center('figure')")
        page.push("Key at the playhead", "#panel")
        page.until(f"studio.tool === 'direct' && studio.state.keys.figure.length === {keys + 1} && studio.settled")
        assert page.js("studio.state.frame") == frame
        page.until(f"Math.hypot(...studio.center('figure').map((x, k) => x - {posed}[k])) < 0.02")
        page.focus()
        page.key("z", control=True)
        page.until(f"studio.state.keys.figure.length === {keys}")
        page.until(f"Math.hypot(...studio.center('figure').map((x, k) => x - {before}[k])) < 0.01")
        page.key("z", control=True, shift=True)
        page.until(f"studio.state.keys.figure.length === {keys + 1}")
        page.one(".keep").click()
        page.type_into(".menu:not([hidden]) input", "posed")
        page.until("studio.hello.takes.some(t => t.name.startsWith('posed'))")
        take = glob.glob(os.path.join(page.into, "**", "posed.take"), recursive=True)[0]
        run = subprocess.run([Place.limber, "run", Place.scene("design/six-keys.json"), "--take", take, "--out",
                              os.path.join(page.folder, "again.lmc")], capture_output=True, text=True)
        assert run.returncode == 0 and "as recorded" in run.stdout + run.stderr, run.stderr
        move_key(page, frame, frame + 7)
        page.until(f"studio.state.keys.figure.some(([at]) => Math.abs(at - {frame + 7}) < 1e-6)")
        assert page.js("studio.state.keys.figure.length") == keys + 1
        page.focus()
        page.key("z", control=True)
        page.until(f"studio.state.keys.figure.some(([at]) => Math.abs(at - {frame}) < 1e-6)")
        page.key("p")
        seconds = page.js(f"Number(({frame} / studio.hello.scene.fps).toFixed(3))")
        page.type_into(f'input[aria-label="Time of the key at {seconds} s"]', f"{seconds + 0.25:.3f}")
        page.until(f"studio.state.keys.figure.some(([at]) => Math.abs(at / studio.hello.scene.fps - {seconds + 0.25}) < 1e-3)")
        page.push(f"Remove the key at {float(f'{seconds + 0.25:.3f}'):g} s", "#panel")
        page.until(f"studio.state.keys.figure.length === {keys}")


def move_key(page, frame, to):
    """Drags the key on the line of time."""
    box, length = page.one(".line").rect, page.js("Math.max(studio.state.frames, Math.round(studio.hello.scene.seconds * studio.hello.scene.fps))")
    share = (box["width"] - 16) / length
    page.drag(box["x"] + 8 + share * frame, box["y"] + round(0.62 * box["height"]) - 13, share * (to - frame), 0, steps=1)


def test_paint():
    with Place.open(TWIST) as page:
        page.pause()
        page.focus()
        page.key("b")
        page.until("studio.tool === 'paint' && !studio.state.playing")
        x, y = page.where("cuboid")
        page.drag(x - 20, y, 40, 40)
        page.until("studio.state.undo && studio.state.undo.includes('paint')")
        page.focus()
        page.key("z", control=True)
        page.until("!studio.state.undo && studio.state.redo")
        page.push("New …", "#panel")
        page.one("#ask input").send_keys("My tip")
        page.push("Make it", "#ask")
        page.drag(x - 20, y, 40, 40)
        page.until("studio.state.undo === 'paint my-tip' && studio.hello.document.objects[0].groups['my-tip']")
        group, use = page.steadily(lambda: [node.get_property("value") for node in page.all("#panel select")])
        assert (group, use) == ("my-tip", "none"), "it stays the group that is painted"
        use = page.one("#panel select[aria-label^='Use']")
        use.send_keys("p")  # by its first letter, as keyboards do
        page.until("(studio.hello.document.objects[0].pins || []).some(p => p.group === 'my-tip')")
        page.until("document.activeElement.getAttribute('aria-label') === 'Use the group as'")  # the panel was made anew
        page.focus()
        page.key(browser.Keys.ESCAPE)
        page.until("studio.tool === 'direct'")


def test_paint_at_once():
    """A group that is made before the first picture of the paint mode stays the one that is painted."""
    with Place.open(TWIST) as page:
        page.pause()
        page.focus()
        page.driver.execute_script("""
            const press = k => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: k, code: 'KeyB', bubbles: true }));
            press('b');
            [...document.querySelectorAll('#panel button')].find(n => n.textContent.startsWith('New')).click();
            document.querySelector('#ask input').value = 'quick';
            document.querySelector('#ask button.main').click();""")
        page.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        x, y = page.where("cuboid")
        page.drag(x - 20, y, 40, 40)
        page.until("studio.state.undo === 'paint quick'")


def test_place():
    with Place.open(TWIST) as page:
        page.pause()
        page.focus()
        page.key("g")
        page.until("studio.tool === 'place'")
        before = page.js("studio.hello.document.objects[0].position")
        page.type_into("#panel .vector input", "0.4")
        page.until("studio.hello.document.objects[0].position[0] === 0.4")
        page.until("studio.center('cuboid')[0] > 0.3")
        page.focus()
        page.key("z", control=True)
        page.until(f"studio.hello.document.objects[0].position[0] === {before[0]}")
        page.until("studio.center('cuboid')[0] < 0.1")
        tip = page.until("studio.gizmoTip(0)")  # the arrow along x, dragged
        page.drag(*tip, 80, 0)
        page.until(f"studio.hello.document.objects[0].position[0] > {before[0] + 0.05}")
        colliders = page.js("studio.hello.document.colliders.length")
        page.push("box", "#panel")
        page.until(f"studio.hello.document.colliders.length === {colliders + 1}")
        for mode, key in ("Move", "position"), ("Scale", "half"):  # it stays the chosen one
            page.push(mode, "#panel")
            box = page.js("studio.hello.document.colliders.slice(-1)[0]")
            page.drag(*page.until("studio.gizmoTip(0)"), 40, 0)
            page.until(f"studio.hello.document.colliders.slice(-1)[0].{key}[0] > {box[key][0] + 0.01}")
        assert page.js("studio.hello.document.objects.length") == 1
        page.push("Copy", "#panel")
        page.until(f"studio.hello.document.colliders.length === {colliders + 2}")
        one, two = page.js("studio.hello.document.colliders.slice(-2)")
        assert two["half"] == one["half"] and two["position"][0] - one["position"][0] > 2 * one["half"][0], (one, two)
        page.focus()
        for _ in range(4):
            count = page.js("studio.state.undo")
            page.key("z", control=True)
            page.until(f"studio.state.undo !== {count!r}")
        page.until(f"studio.hello.document.colliders.length === {colliders}")
        page.push("sphere", "#panel")
        page.until(f"studio.hello.document.colliders.length === {colliders + 1}")
        page.until("[...document.querySelectorAll('#panel [aria-selected=true]')].some(n => n.textContent.endsWith('sphere'))")
        page.focus()
        page.key(browser.Keys.DELETE)
        page.until(f"studio.hello.document.colliders.length === {colliders}")


# ---- gallery, plots, files ----

def test_gallery():
    with Place.open() as page:
        page.until("studio.mode === 'gallery' && document.querySelectorAll('#gallery .card').length > 20")
        seen = "[...document.querySelectorAll('#gallery img')].filter(i => i.complete && i.naturalWidth > 0).length"
        page.until(f"{seen} > 1")
        page.driver.refresh()  # who comes later sees them, too
        page.until(f"window.studio && studio.mode === 'gallery' && {seen} > 1", 5)
        page.one("#gallery input[type=search]").send_keys("i-bent")
        next(card for card in page.all("#gallery .card") if card.is_displayed()).click()
        page.until("studio.mode === 'scene' && studio.scene === 'i-bent' && studio.drawn > 1")
        page.one("#home").click()
        page.until("studio.mode === 'gallery'")


def test_plots_and_shown():
    with Place.open(TWIST) as page:
        page.focus()
        page.key("t")
        page.until("document.querySelectorAll('#plots figure').length > 0 && !document.getElementById('plots').hidden")
        page.until("[...document.querySelectorAll('#plots b')].every(b => b.textContent !== '')")
        page.key("o")
        select = page.one(".menu:not([hidden]) select")
        select.send_keys("regions")
        page.until("document.querySelector('.menu:not([hidden]) select').value === 'regions'")
        for switch in page.all(".menu:not([hidden]) input[type=checkbox]"):
            switch.click()
        frame = page.js("studio.drawn")
        page.until(f"studio.drawn > {frame + 3}")
        assert page.js("studio.told.filter(t => t.startsWith('error'))") == [], page.js("studio.told")


CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.5) for y in (0, 0.5) for z in (0, 0.5)) + "".join(
    f"f {f}\n" for f in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"))


def put(page, name, text):
    """A file on the disk, as somebody has it who drags it from there."""
    path = os.path.join(page.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def test_drop():
    """Meshes, whatever their names, are opened; onto an open scene they are added, beside what stands there."""
    with Place.open() as page:
        page.drop(put(page, "Crate of mine (1).OBJ", CUBE))
        page.until("studio.mode === 'scene' && studio.drawn > 1")
        assert len(page.js("studio.hello.objects")) == 1
        assert page.js("studio.hello.document.objects[0].mesh").endswith("crate-of-mine-1.obj")
        page.pause()
        page.drop(put(page, "second.obj", CUBE.replace("0.5", "70")))
        page.until("document.getElementById('ask').open")
        assert page.js("document.activeElement.textContent") == "Add as a character"
        page.push("Add as a soft body", "#ask")
        page.until("studio.hello.objects.length === 2 && studio.selected === 'second'")
        added = page.js("studio.hello.document.objects[1]")
        assert 70 * added["scale"] < 4 and distance(added["position"], [0, 0, 0]) > 0.4, added
        page.drop(put(page, "readme.txt", "no mesh"))
        page.until("studio.told.some(t => t.startsWith('error') && t.includes('readme.txt'))")


SEEN = "[...document.querySelectorAll('.note')].filter(n => n.checkVisibility({ checkVisibilityCSS: true })).map(n => n.textContent)"


def test_drop_several():
    """Two meshes at once are two bodies; onto an open scene, one question is asked for both."""
    with Place.open() as page:
        page.drop(put(page, "one.obj", CUBE), put(page, "two.obj", CUBE.replace("0.5", "0.6")))
        page.until("studio.mode === 'scene' && studio.hello.objects.length === 2 && studio.drawn > 1")
        names = page.js("studio.hello.objects.map(o => o.name)")
        assert names == ["one", "two"], names
        page.pause()
        page.drop(put(page, "three.obj", CUBE.replace("0.5", "0.3")), put(page, "four.obj", CUBE.replace("0.5", "0.4")))
        page.until("document.getElementById('ask').open")
        page.push("Add as a soft body", "#ask")
        page.until("studio.hello.objects.length === 4 && studio.hello.objects.every(o => o.name)")
        assert page.js("studio.told") == [], page.js("studio.told")


def test_wrong_drops():
    """What newcomers drop: pictures, models of other programs, a scene by itself, then its meshes, a whole folder."""
    with Place.open() as page:
        page.drop(put(page, "Photo of me.JPG", b"\xff\xd8\xff\xe0" + bytes(500)))
        page.until(SEEN + ".some(t => t.includes('Photo of me.JPG is neither a scene nor a mesh'))")
        lowest, highest = page.js("[document.querySelector('#gallery header').getBoundingClientRect().bottom, document.querySelector('.note').getBoundingClientRect().top]")
        assert lowest <= highest, "a note does not lie over the field that finds scenes"
        page.drop(put(page, "bear.glb", b"glTF" + bytes(100)))
        page.until(SEEN + ".some(t => t.includes('bear.glb') && t.includes('Export'))")
        text = open(Place.scene(TWIST)).read()
        page.drop(put(page, "alone.json", text))
        page.until(SEEN + ".some(t => t.startsWith('alone.json needs') && t.includes('cuboid.msh'))")
        assert page.js("studio.mode") == "gallery"
        names = [name for name in ("cuboid.msh", "cuboid-surface.ply", "cuboid-twist.msh") if name in text]
        for name in names:
            put(page, "meshes/deep/" + name, open(Place.scene("assets/" + name), "rb").read())
        put(page, "meshes/notes.txt", "of no use, and nothing to complain about")
        page.drop(os.path.join(page.folder, "meshes"))
        page.until("studio.mode === 'scene' && studio.drawn > 1")
        assert not any("notes.txt" in told for told in page.js("studio.told")), page.js("studio.told")


def test_numbers_as_typed():
    """Commas, spaces and words in fields of numbers."""
    with Place.open(TWIST) as page:
        field = "#panel input[type=text][aria-label=beta]"
        page.type_into(field, "0,5")
        page.until("studio.state.settings.cuboid?.beta === 0.5")
        page.type_into(field, "half")
        page.until(SEEN + ".some(t => t.includes('“half” is not a number'))")
        assert page.one(field).get_property("value") == "0.5"
        page.type_into(field, "7")
        page.until("studio.state.settings.cuboid?.beta === 1 && studio.told.some(t => t.includes('0 to 1'))")
        page.focus()
        page.key("g")
        page.until("studio.tool === 'place'")
        y = page.js("studio.hello.document.objects[0].position")[1]
        for typed, x in ("0,25", 0.25), ("\u22120.5", -0.5), ("", -0.5):
            page.type_into("#panel .vector input", typed if typed else browser.Keys.DELETE)
            page.until(f"studio.hello.document.objects[0].position[0] === {x}")
            page.until(f"document.querySelector('#panel .vector input').value === '{x}'")
        assert page.js("studio.hello.document.objects[0].position")[1] == y


def test_drop_scene():
    """A scene with its meshes: it names them with folders, they come without."""
    with Place.open() as page:
        text = open(Place.scene(TWIST)).read()
        names = [name for name in ("cuboid.msh", "cuboid-surface.ply", "cuboid-twist.msh") if name in text]
        files = [put(page, name, open(Place.scene("assets/" + name), "rb").read()) for name in names]
        page.drop(put(page, "My twist.json", text), *files)
        page.until("studio.mode === 'scene' && studio.drawn > 1")
        assert page.js("studio.hello.objects.length") == 1 and page.js("studio.told") == [], page.js("studio.told")


def test_recover():
    with Place.open(TWIST) as page:
        page.drag(*page.where("cuboid"), 100, 10)
        page.until("studio.state.marks.length >= 2")
        marks = page.js("studio.state.marks")
        frame = page.js("studio.state.frame")
        page.until(f"studio.state.frame > {frame + 30}")  # the journal is written meanwhile
        page.restart(signal.SIGKILL)
        page.until("studio.told.some(t => t.includes('performance'))")
        page.push("Bring it back")
        page.until("studio.state.marks.length >= 2")
        assert page.js("studio.state.marks") == marks


def test_started_anew():
    """The page of an earlier run, and an address without its token, say what to do."""
    with Place.open(TWIST) as page:
        page.studio.stop(signal.SIGKILL)
        page.until("!studio.connected && " + SEEN + ".some(t => t.includes('does not answer'))")
        page.studio = browser.Studio(page.limber, *page.given, "--port", str(page.studio.port), cwd=page.folder)
        page.until(SEEN + ".some(t => t.includes('earlier run'))")
        page.driver.execute_script("sessionStorage.clear()")
        page.driver.get(f"http://{page.studio.host}/")
        page.until("window.studio && !studio.connected && " + SEEN + ".some(t => t.includes('the address that was printed'))")
        page.driver.get(f"http://{page.studio.host}/#token={page.studio.token}")
        page.driver.refresh()
        page.until("studio.connected && studio.drawn > 1")
        page.driver.get_log("browser")  # that nobody answered meanwhile is no mistake of the page


def test_recover_in_gallery():
    """What was performed before a crash is offered where the next start begins: among the pictures, too."""
    with Place.open(TWIST) as page:
        page.drag(*page.where("cuboid"), 100, 10)
        page.until("studio.state.marks.length >= 2")
        frame = page.js("studio.state.frame")
        page.until(f"studio.state.frame > {frame + 30}")
        page.given = page.given[1:]
        page.restart(signal.SIGKILL)
        page.until("studio.mode === 'gallery' && " + SEEN + ".some(t => t.includes('left something in match/twist'))")
        page.push("Open it")
        page.until("studio.mode === 'scene' && studio.told.some(t => t.includes('performance'))")
        page.push("Bring it back")
        page.until("studio.state.marks.length >= 2")


def test_without_webgl():
    studio = browser.Studio(Place.limber, Place.scene(TWIST))
    driver = browser.start_chromium(800, 600, flags=["--disable-3d-apis"])
    try:
        driver.get(f"http://{studio.host}/#token={studio.token}")
        text = driver.execute_script("return document.body.innerText")
        assert "WebGL" in text and len(text) < 300, text
    finally:
        driver.quit()
        studio.stop()


# ---- how it looks ----

OVERLAPS = """(() => {
    const cards = ["#top", "#panel", "#plots", "#transport", "#commands", "#hint", ".note"].flatMap(q => [...document.querySelectorAll(q)])
        .filter(n => n.offsetParent !== null || getComputedStyle(n).position === "fixed").map(n => [n.id || n.className, n.getBoundingClientRect()])
        .filter(([, b]) => b.width > 0 && b.height > 0);
    const found = [];
    for (let i = 0; i < cards.length; ++i) {
        const [name, a] = cards[i];
        if (a.left < -0.5 || a.top < -0.5 || a.right > innerWidth + 0.5 || a.bottom > innerHeight + 0.5) found.push(name + " leaves the window");
        for (let k = i + 1; k < cards.length; ++k) {
            const [other, b] = cards[k];
            if (a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5) found.push(name + " over " + other);
        }
    }
    for (const bar of ["#top", "#transport", "#commands"]) {
        const inside = [...document.querySelectorAll(bar + " button, " + bar + " .line, " + bar + " .clock, " + bar + " .badge")].filter(n => n.offsetParent)
            .map(n => [n.getAttribute("aria-label") || n.textContent, n.getBoundingClientRect()]);
        const all = document.querySelector(bar).getBoundingClientRect();
        for (let i = 0; i < inside.length; ++i) {
            const [name, a] = inside[i];
            if (a.left < all.left - 1 || a.right > all.right + 1) found.push(name + " leaves " + bar);
            for (let k = i + 1; k < inside.length; ++k) {
                const [other, b] = inside[k];
                if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push(name + " over " + other);
            }
        }
    }
    return found;
})()"""

CONTRASTS = """(() => {
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    const style = getComputedStyle(document.documentElement);
    const rgb = name => {
        pen.fillStyle = style.getPropertyValue(name).trim();
        pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    };
    const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
    const ratio = (a, b) => { const x = light(rgb(a)), y = light(rgb(b)); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
    const pairs = [["--text", "--card-solid"], ["--text", "--raised"], ["--quiet", "--card-solid"], ["--quiet", "--raised"], ["--quiet", "--page"],
        ["--accent", "--card-solid"], ["--accent-text", "--accent"], ["--good", "--raised"], ["--warn", "--card-solid"], ["--record", "--card-solid"]];
    return Object.fromEntries(pairs.map(([a, b]) => [a + " on " + b, ratio(a, b)]));
})()"""


def check_look(page, what):
    page.until("document.readyState === 'complete' && studio.drawn > 1")
    page.focus()
    page.key("t")  # plots on
    page.until("!document.getElementById('plots').hidden")
    frame = page.js("studio.drawn")
    page.until(f"studio.drawn > {frame}")
    assert page.js(OVERLAPS) == [], (what, page.js(OVERLAPS))
    for pair, ratio in page.js(CONTRASTS).items():
        assert ratio >= 4.5, f"{what}: {pair} has a contrast of {ratio:.2f}"


def test_layout():
    for width, height, dark in [(1280, 720, False), (1024, 768, True), (768, 1024, False)]:
        with Place.open(WALKER, width=width, height=height, dark=dark) as page:
            check_look(page, f"{width} x {height}, {'dark' if dark else 'light'}")


def test_keyboard_alone():
    with Place.open(CHARACTER) as page:
        page.focus()
        reached = set()
        for _ in range(90):
            page.key(browser.Keys.TAB)
            reached.add(page.js("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 20)"))
        for name in ("Frame", "Record", "Keep", "Takes", "Speed"):
            assert any(r.startswith(name) for r in reached if r), (name, sorted(r for r in reached if r))
        page.focus()
        page.key("?")
        page.until("document.getElementById('help').open")
        listed = page.js("document.getElementById('help').textContent")
        for text in ("play or pause", "crouch", "record on or off", "undo"):
            assert text in listed, text
        page.key(browser.Keys.ESCAPE)
        page.until("!document.getElementById('help').open")


def test_hand_of_keys():
    """What a mouse does in the picture, by keys: grab and drag, a handle of a pose, the camera."""
    with Place.open(TWIST) as page:
        page.focus()
        before = page.js("studio.camera")
        for key in "D", "-":
            if key == "D":
                page.press(browser.Keys.SHIFT)
            page.press(key)
            page.until(f"studio.camera.{'yaw' if key == 'D' else 'distance'} > {before['yaw' if key == 'D' else 'distance']} * 1.05 + 0.05")
            page.lift(key)
            page.lift(browser.Keys.SHIFT)
        page.press(browser.Keys.ENTER)
        page.press(browser.Keys.ARROW_RIGHT)
        page.until("studio.holding === 1 && studio.overlay.handles.length === 1")
        page.until("Math.hypot(...studio.overlay.handles[0].to.map((x, k) => x - studio.overlay.handles[0].at[k])) > 0.05")
        page.lift(browser.Keys.ARROW_RIGHT)
        page.lift(browser.Keys.ENTER)
        page.until("studio.holding === 0 && studio.overlay.handles.length === 0")
        page.key("p")
        page.until("studio.tool === 'pose' && studio.state.pose")
        page.key(browser.Keys.ENTER)
        page.until("studio.handles.length === 1")
        at = page.js("studio.handles[0].to")
        page.press(browser.Keys.ENTER)
        page.press(browser.Keys.ARROW_UP)
        page.until(f"studio.handles.length === 1 && studio.handles[0].to[1] > {at[1]} + 0.05")
        page.lift(browser.Keys.ARROW_UP)
        page.lift(browser.Keys.ENTER)


def test_only_this_host():
    with Place.open(TWIST) as page:
        hosts = page.js("[...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]")
        assert hosts == [page.studio.host], hosts
        assert page.js("document.querySelectorAll('script:not([src]), [style*=expression], [onclick]').length") == 0


def passes(name, test, word):
    """Pointers and clocks of a real browser on a busy machine: what fails gets a second chance, and that is printed."""
    start = time.monotonic()
    try:
        test()
        print(f"{word:7} {name} ({time.monotonic() - start:.1f} s)", flush=True)
        return True
    except Exception:
        print(f"FAILED  {name} ({time.monotonic() - start:.1f} s)", flush=True)
        traceback.print_exc()
        return False


def main():
    if not available():
        print("chromium, chromium-driver or python3-selenium is missing")
        return 77
    Place.limber, Place.gallery = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    wanted = sys.argv[3:]
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and (not wanted or name in wanted)]
    failed = [name for name, test in tests if not (passes(name, test, "ok") or passes(name, test, "ok, the second time"))]
    print(f"{len(tests) - len(failed)} of {len(tests)} passed" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
