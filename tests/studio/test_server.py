#!/usr/bin/env python3
"""test_server.py LIMBER SOURCE [NAME...]: the studio without a browser: pages, refusals, commands, takes, edits, crashes."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from wire import Refused, Studio  # noqa: E402

LIMBER, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
TWIST = SOURCE / "gallery/match/twist.json"
BENT = SOURCE / "gallery/act/i-bent.json"


def run(*arguments, cwd):
    return subprocess.run([LIMBER, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)


def replay(folder, scene, take):
    """Exit code and words of a repeated take."""
    done = run("run", scene, "--take", take, "--out", "replay.lmc", cwd=folder)
    return done.returncode, done.stderr


def expect_refusal(studio, **options):
    try:
        page = studio.connect(**options)
        page.until(lambda p: p.hello, 5)
    except (Refused, ConnectionError):
        return
    raise AssertionError(f"was let in: {options}")


def drag(page, name="cuboid", triangle=100, way=0.6, frames=12, identity=1):
    """Grabs a body and pulls it aside; returns how far the grabbed place came."""
    assert page.ask("grab", object=name, triangle=triangle, at=[0.3, 0.3, 0.4], id=identity) is None
    vertex = page.topology[0][3 * triangle]
    begin = page.vertex(0, vertex)
    for i in range(frames):
        page.send("move", id=identity, to=[begin[0] + way * (i + 1) / frames, begin[1], begin[2]])
        frame = page.frame
        page.until(lambda p: p.frame > frame)
    return page.vertex(0, vertex)[0] - begin[0]


# ---- the ways in ----

def test_pages(folder):
    studio = Studio(LIMBER, str(TWIST), cwd=folder)
    status, headers, body = studio.request("/")
    assert status == 200 and headers["content-type"].startswith("text/html") and b"<script" in body
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert studio.token.encode() not in body
    for name, kind in (("/studio.js", "text/javascript"), ("/style.css", "text/css"),
                       ("/three/build/three.module.js", "text/javascript")):
        status, headers, body = studio.request(name)
        assert status == 200 and headers["content-type"].startswith(kind) and len(body) == int(headers["content-length"])
    assert studio.request("/favicon.ico")[0] == 204
    for path in ("/nothing.js", "/../CMakeLists.txt", "/%2e%2e/secret", "/gallery/../x.png", "//etc/passwd"):
        assert studio.request(path)[0] in (403, 404), path
    assert studio.request("/", "DELETE")[0] in (0, 400, 403, 404, 405)
    code, said = studio.stop()
    assert code == 0, (code, said)


def test_refusals(folder):
    studio = Studio(LIMBER, str(TWIST), cwd=folder)
    port = studio.port
    for host in ("evil.example", f"127.0.0.1.evil.example:{port}", f"127.0.0.1:{port + 1}", f"localhost.evil:{port}"):
        assert studio.request("/", host=host)[0] == 403, host
        expect_refusal(studio, host=host)
    assert studio.request("/", host=f"localhost:{port}")[0] == 200
    for token in ("", "0" * 32, studio.token[:-1], studio.token + "0", studio.token.upper() + "x"):
        expect_refusal(studio, token=token)
    for origin in ("", "null", "http://evil.example", f"http://127.0.0.1:{port}.evil.example",
                   f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"):
        expect_refusal(studio, origin=origin)
    for protocol in (None, "other", "http"):
        expect_refusal(studio, protocol=protocol)
    page = studio.connect().until(lambda p: p.frames > 2)
    page.close()
    assert studio.stop()[0] == 0


def test_rude_clients(folder):
    studio = Studio(LIMBER, str(TWIST), cwd=folder)
    good = studio.connect().until(lambda p: p.frames > 5)
    before = studio.memory()
    big = studio.connect()
    try:
        big.send_bytes(1, b'{"do":"' + b"x" * 100000 + b'"}')
        big.until(lambda p: False, 60)
    except ConnectionError as closed:
        assert closed.args[1:] in ((1009,), (), (0,)), closed.args
    silent = studio.connect(answers=False)  # never reads, never answers
    half_open = []
    for i in range(30):
        connection = socket.create_connection(("127.0.0.1", studio.port))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: " if i % 2 else b"G")
        half_open.append(connection)
    extra = []
    for _ in range(6):
        try:
            extra.append(studio.connect(answers=False))
        except (Refused, ConnectionError):
            pass
    answered = good.frames
    good.ask("pause")
    good.until(lambda p: not p.state.get("playing", True) and p.frame == p.state["frame"])
    for _ in range(60):  # one by one: a busy machine is no client's fault
        frame = good.frame
        good.send("step", frames=1)
        good.until(lambda p: p.frame != frame)
        assert good.frame == frame + 1, "a good client gets every frame that it answers"
    good.ask("play")
    for words in (b"not json", b"[1, 2]", b'{"do": 3}', b'{"do": "(left)"}', b'{"do": "nothing"}', b'"do"', b"{}"):
        count = len(good.told)
        good.send_bytes(1, words)
        good.until(lambda p: len(p.told) > count)
        assert good.told[-1]["level"] == "error"
    good.send_bytes(2, b"\0\1\2")
    count = len(good.told)
    good.until(lambda p: len(p.told) > count)
    assert studio.memory() - before < 40e6, studio.memory() - before
    for connection in half_open:
        connection.close()
    for page in extra + [silent]:
        page.close()
    good.until(lambda p: p.frames > answered + 70)
    assert studio.stop()[0] == 0


# ---- directing ----

def test_grab_and_take(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    assert page.hello["mode"] == "scene" and page.hello["objects"][0]["name"] == "cuboid"
    assert len(page.topology[0]) == 3 * page.hello["surfaces"][0]["triangles"]
    assert len(page.numbers) == len(page.hello["numbers"])
    assert drag(page) > 0.1
    assert page.ask("release", id=1) is None
    assert page.ask("push", object="cuboid", triangle=5, at=[1, 0, 0], impulse=[0, 0, 2]) is None
    assert page.ask("set", object="cuboid", key="match.beta", value=0.9) is None
    assert page.ask("example", object="cuboid", example=0, strength=0.5) is None
    page.until(lambda p: p.state.get("settings", {}).get("cuboid") == {"beta": 0.9})
    page.until(lambda p: p.state.get("examples", {}).get("cuboid") == [0.5])
    frame = page.frame
    page.until(lambda p: p.frame > frame + 30)
    assert page.ask("pause") is None
    assert page.ask("keep", **{"as": "take", "name": "mine"}) is None
    assert "is there already" in page.ask("keep", **{"as": "take", "name": "mine"})
    for name in ("../evil", "a/b", ".hidden", "x" * 200, "a b", "a.take"):
        assert page.ask("keep", **{"as": "take", "name": name}) is not None, name
    code, said = replay(folder, TWIST, "mine.take")
    assert code == 0 and "as recorded" in said, said
    lines = (folder / "mine.take").read_text().splitlines()
    assert sum('"do":"grab"' in line for line in lines) == 1
    moves = [i for i, line in enumerate(lines) if '"do":"move"' in line]
    for i in moves:  # all: of two in one frame the second counts
        changed = json.loads(lines[i])
        changed["to"][0] += 0.01
        lines[i] = json.dumps(changed)
    (folder / "other.take").write_text("\n".join(lines) + "\n")
    code, said = replay(folder, TWIST, "other.take")
    assert code == 1 and "differs from frame" in said, said
    assert replay(folder, BENT, "mine.take")[0] == 2
    assert studio.stop()[0] == 0


def test_wrong_commands(folder):
    studio = Studio(LIMBER, str(TWIST), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    wrong = [("grab", {}), ("grab", {"object": "nobody", "triangle": 0, "at": [1, 0, 0], "id": 1}),
             ("grab", {"object": "cuboid", "triangle": 10 ** 8, "at": [1, 0, 0], "id": 1}),
             ("grab", {"object": "cuboid", "triangle": 0, "at": [1, 0], "id": 1}),
             ("grab", {"object": "cuboid", "triangle": 0, "at": [1, 0, 0], "id": -4}),
             ("grab", {"object": "cuboid", "triangel": 0, "at": [1, 0, 0], "id": 1}),
             ("move", {"id": 77, "to": [0, 0, 0]}), ("move", {"id": 77, "to": ["a", 0, 0]}), ("release", {"id": 5}),
             ("set", {"object": "cuboid", "key": "betta", "value": 1}),
             ("set", {"object": "cuboid", "key": "beta", "value": 1e300}),
             ("set", {"object": "cuboid", "key": "ring", "value": 1}),
             ("example", {"object": "cuboid", "example": 9, "strength": 1}),
             ("command", {"object": "cuboid", "behaviour": "walk"}), ("rewind", {"frame": -1}), ("speed", {"value": 0}),
             ("step", {"frames": 10 ** 9}), ("open", {"scene": "../../etc/passwd"}), ("open", {"scene": "none"}),
             ("edit", {"path": [], "value": 1}), ("edit", {"path": ["objects", 7, "name"], "value": "x"}),
             ("edit", {"path": ["objects", 0, "match", "frequency"], "value": -3}), ("edits", {"edits": []}),
             ("add", {"object": {"mesh": "../x.obj"}}), ("remove", {"path": ["objects", 99]}), ("undo", {}), ("redo", {}),
             ("keep", {"as": "nothing"}), ("cancel", {"job": 3}), ("take", {"name": "none.take"}), ("recover", {}),
             ("paint", {"object": "cuboid", "group": "../x", "vertices": [0], "values": [1]}),
             ("paint", {"object": "cuboid", "group": "x", "vertices": [10 ** 9], "values": [1]}),
             ("show", {"colors": "no such colours"})]
    wrong += [("rewind", {"frame": "x"}), ("rewind", {"frme": 3}), ("pause", {"now": True}), ("grap", {})]
    for do, rest in wrong:
        assert page.ask(do, **rest), (do, rest)
    assert page.ask("grap") == 'there is no "grap" to do; did you mean "grab"?'
    assert page.ask("rewind", frme=3) == 'frme: "rewind" has no such key; did you mean "frame"?'
    assert page.ask("move", id=77, to=[0, 0, 0]) == "there is no grab or pin 77"
    frame = page.frame
    page.until(lambda p: p.frame > frame + 5)
    assert studio.stop()[0] == 0


def test_characters(folder):
    studio = Studio(LIMBER, str(BENT), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    me = page.hello["objects"][0]
    assert me["can"]["command"] and {"hop", "stand"} <= set(me["behaviours"])
    assert page.ask("command", object=me["name"], kind="hop", velocity=[-0.5, 0, 0]) is None
    page.until(lambda p: p.state.get("doing") == {me["name"]: "hop"})
    page.until(lambda p: p.frame > 30)
    assert page.ask("command", object=me["name"], behaviour="stand") is None
    assert "must be" in page.ask("command", object=me["name"], behaviour="fly")
    assert page.ask("free", object=me["name"]) is None
    page.until(lambda p: p.frame > 45)
    assert page.ask("pause") is None
    assert page.ask("keep", **{"as": "take", "name": "hops"}) is None
    code, said = replay(folder, BENT, "hops.take")
    assert code == 0 and "as recorded" in said, said
    assert studio.stop()[0] == 0


def test_client_that_leaves_lets_go(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    other = studio.connect().until(lambda p: p.frames > 1)
    page.send("show", overlay=True)
    drag(other)

    def handles(p):
        return [o for o in p.others if o["kind"] == "overlay"][-1]["handles"] if p.others else None
    page.until(lambda p: handles(p))
    other.close()
    page.until(lambda p: handles(p) == [])
    assert studio.stop()[0] == 0


# ---- time ----

def test_rewind_is_exact(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    drag(page)
    page.ask("release", id=1)
    page.until(lambda p: p.frame > 60)
    page.ask("pause")
    seen = {}
    for frame in (60, 7, 33, 0, 59, 12):
        assert page.ask("rewind", frame=frame) is None
        page.until(lambda p: p.frame == frame)
        seen[frame] = page.positions[0]
    for frame in (12, 59, 0, 33):
        page.ask("rewind", frame=frame)
        page.until(lambda p: p.frame == frame)
        assert page.positions[0] == seen[frame], frame
    page.ask("step", frames=27)  # from 33 to 60, along what was recorded
    page.until(lambda p: p.frame == 60)
    assert page.positions[0] == seen[60]
    page.ask("step", frames=-1)
    page.until(lambda p: p.frame == 59)
    assert page.positions[0] == seen[59]
    # told anew from frame 20: what lay ahead is gone, and kept as a take
    page.ask("rewind", frame=20)
    newest = page.state["frames"]
    page.ask("push", object="cuboid", triangle=5, at=[1, 0, 0], impulse=[0, 5, 0])
    page.until(lambda p: p.state.get("frames") == 20 and newest > 20)
    page.ask("step", frames=20)
    page.until(lambda p: p.frame == 40)
    assert page.ask("keep", **{"as": "take", "name": "anew"}) is None
    for take in ("anew.take", "twist-take.take"):
        code, said = replay(folder, TWIST, take)
        assert code == 0, (take, said)
    assert studio.stop()[0] == 0


def test_led_scenes_end(folder):
    """A designed motion stops at the scene's end, and begins again when it is played; a soft body goes on."""
    for name, ends in (("design/landing", True), ("match/twist", False)):
        text = (SOURCE / f"gallery/{name}.json").read_text().replace('"../assets', f'"{SOURCE}/gallery/assets')
        document = json.loads(text)
        if not ends:
            document["seconds"] = 0.5
        short = folder / f"{name.split('/')[1]}.json"
        short.write_text(json.dumps(document))
        studio = Studio(LIMBER, str(short), "--into", str(folder), cwd=folder)
        page, last = studio.connect(), round(document["seconds"] * document.get("fps", 24))
        if ends:
            page.ask("speed", value=16)
            page.until(lambda p: p.state.get("playing") is False)
            page.until(lambda p: p.frame == last)
            assert page.ask("play") is None
            page.until(lambda p: p.frame < last)
        else:
            page.until(lambda p: p.frames > 0 and p.frame > last + 3)
        assert studio.stop()[0] == 0


def test_recording_and_takes(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    page.ask("record", on=True)
    drag(page)
    page.ask("release", id=1)
    page.ask("record", on=False)
    page.until(lambda p: any(o["kind"] == "takes" and o["takes"] for o in p.others))
    listed = [o for o in page.others if o["kind"] == "takes"][-1]["takes"]
    assert listed[0]["name"] == "twist-take.take" and listed[0]["commands"] > 3
    page.ask("pause")
    frames = page.state["frames"]
    page.ask("rewind", frame=frames)
    page.until(lambda p: p.frame == frames)
    last = page.positions[0]
    assert page.ask("reload") is None
    page.until(lambda p: p.state.get("frames") == 0)
    assert page.ask("take", name="twist-take.take") is None
    page.until(lambda p: p.state.get("frames", 0) >= listed[0]["frames"])
    page.ask("rewind", frame=frames)
    page.until(lambda p: p.frame == min(frames, page.state["frames"]))
    if page.frame == frames:
        assert page.positions[0] == last
    assert studio.stop()[0] == 0


# ---- the scene ----

def test_edits_and_undo(folder):
    before = TWIST.read_text()
    studio = Studio(LIMBER, str(TWIST), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    assert page.hello["scene"]["copy"]

    def value(p):
        return next(x["value"] for x in p.hello["objects"][0]["settings"] if x["key"] == "frequency")
    assert value(page) == 14
    assert page.ask("edit", path=["objects", 0, "match", "frequency"], value=9) is None
    page.until(lambda p: value(p) == 9)
    assert "must be" in page.ask("edit", path=["objects", 0, "match", "frequency"], value="soft")
    assert page.ask("undo") is None
    page.until(lambda p: value(p) == 14)
    assert page.ask("redo") is None
    page.until(lambda p: value(p) == 9)
    assert page.ask("set", object="cuboid", key="damping", value=0.2) is None
    page.until(lambda p: p.state.get("undo") == "damping")
    assert page.ask("undo") is None
    page.until(lambda p: p.state.get("settings", {}).get("cuboid", {}).get("damping") == 0.7)
    assert page.ask("redo") is None
    assert page.ask("write") is None
    assert page.ask("add", collider={"shape": "sphere", "radius": 0.2, "position": [1, 0.2, 0]}) is None
    assert page.ask("copy", path=["objects", 0]) is None
    page.until(lambda p: len(p.hello["objects"]) == 2)
    assert page.ask("remove", path=["objects", 1]) is None
    assert page.ask("save") is None
    saved = folder / "limber-live/twist.json"
    assert run("check", saved, cwd=folder).returncode == 0
    scene = json.loads(saved.read_text())
    assert scene["objects"][0]["match"]["frequency"] == 9 and scene["objects"][0]["match"]["damping"] == 0.2
    assert len(scene["objects"]) == 1 and scene["colliders"][-1]["shape"] == "sphere"
    assert "is there already" in page.ask("save", name="twist")
    assert page.ask("save", name="other") is None and (folder / "limber-live/other.json").exists()
    assert TWIST.read_text() == before, "the gallery is never written to"
    assert page.ask("keep", **{"as": "take", "name": "edited"}) is None
    code, said = replay(folder, folder / "limber-live/other.json", "limber-live/edited.take")
    assert code == 0, said
    assert studio.stop()[0] == 0


def test_paint(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    low = [v for v in range(page.hello["surfaces"][0]["vertices"]) if page.vertex(0, v)[1] < 1.2]
    for i in range(0, len(low), 500):
        part = low[i:i + 500]
        assert page.ask("paint", object="cuboid", group="tip", vertices=part, values=[1] * len(part)) is None
    assert page.ask("paint", object="cuboid", group="tip", vertices=[], values=[], end=True) is None
    page.until(lambda p: any(g["name"] == "tip" for g in p.hello["objects"][0]["groups"]))
    assert page.ask("paint_open", object="cuboid", group="tip") is None
    weights = [o for o in page.others if o["kind"] == "weights"][-1]
    assert set(low) <= set(weights["vertices"])
    assert page.ask("paint_use", object="cuboid", group="tip", **{"as": "pins"}) is None
    page.until(lambda p: {"group": "tip"} in p.hello["document"]["objects"][0]["pins"])
    page.send("play")
    page.until(lambda p: p.frame > 10)
    assert page.ask("show", colors="groups:tip") is None
    assert page.ask("paint", object="cuboid", group="left foot", vertices=low[:9], values=[1] * 9, end=True) is None, \
        "as figures name theirs"
    page.until(lambda p: "left foot" in p.hello["document"]["objects"][0]["groups"])
    for name in "", "a\nb", "x" * 64:
        assert page.ask("paint", object="cuboid", group=name, vertices=low[:1], values=[1], end=True).count("name of a group")
    assert page.ask("undo") is None
    assert page.ask("paint_use", object="cuboid", group="tip", **{"as": "none"}) is None
    assert page.ask("undo") is None and page.ask("undo") is None and page.ask("undo") is None
    page.until(lambda p: not any(g["name"] == "tip" for g in p.hello["objects"][0]["groups"]))
    assert studio.stop()[0] == 0


def test_pose(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    assert page.ask("handle", id=1, triangle=0, at=[1, 0, 0]) == "no pose is being made"
    assert page.ask("pose", object="nobody", on=True)
    assert page.ask("pose", object="cuboid", on=True) is None
    assert page.ask("play"), "the world stands still"
    heights = {v: page.vertex(0, v)[1] for v in range(page.hello["surfaces"][0]["vertices"])}
    triangles = [page.topology[0][i:i + 3] for i in range(0, len(page.topology[0]), 3)]
    top = max(range(len(triangles)), key=lambda t: heights[triangles[t][0]])
    low = min(range(len(triangles)), key=lambda t: heights[triangles[t][0]])
    assert page.ask("handle", id=1, triangle=top, at=[1, 0, 0], hard=True) is None
    assert page.ask("handle", id=2, triangle=low, at=[1, 0, 0]) is None
    assert page.ask("handle", id=2, triangle=low, at=[1, 0, 0]), "there is one already"
    assert page.ask("handle_move", id=9, to=[0, 0, 0]) and page.ask("handle_move", id=2, to=[0, 0])

    def handles(p):
        return {h["id"]: h for h in [o for o in p.others if o["kind"] == "pose"][-1]["handles"]}
    begin = handles(page)[2]["at"]
    to = [begin[0] + 0.4, begin[1], begin[2]]
    assert page.ask("handle_move", id=2, to=to) is None
    page.until(lambda p: handles(p)[2]["at"][0] > begin[0] + 0.35)
    assert page.ask("volume", on=False) is None and page.ask("volume", on=True) is None
    assert page.ask("keep_pose", name="key", **{"as": "key"}), "match keeps examples"
    assert page.ask("keep_pose", name="bent", **{"as": "example"}) is None
    page.until(lambda p: [e["name"] for e in p.hello["objects"][0]["examples"]] == ["cuboid-twist", "bent"])
    page.send("play")
    page.until(lambda p: p.frame > 5)
    assert page.ask("undo") is None
    page.until(lambda p: len(p.hello["objects"][0]["examples"]) == 1)
    assert studio.stop()[0] == 0


def test_flat_pose(folder):
    """A letter and a curve in the plane are posed, and the pose is an example that the scene goes on with."""
    for scene in BENT, SOURCE / "gallery/act/drop.json":
        into = folder / scene.stem
        studio = Studio(LIMBER, str(scene), "--into", str(into), cwd=folder)
        page = studio.connect().until(lambda p: p.frames > 1)
        examples = len(page.hello["objects"][0]["examples"])
        assert page.ask("pose", object=page.hello["objects"][0]["name"], on=True) is None
        assert page.ask("handle", id=1, triangle=0, at=[1, 0, 0], hard=True) is None
        begin = [o for o in page.others if o["kind"] == "pose"][-1]["handles"][0]["at"]
        assert page.ask("handle_move", id=1, to=[begin[0] + 0.02, begin[1] + 0.02, begin[2] + 5]) is None
        said = page.ask("keep_pose", name="moved", **{"as": "example"})
        assert said is None, said
        page.until(lambda p: len(p.hello["objects"][0]["examples"]) == examples + 1)
        page.send("play")
        page.until(lambda p: p.frame > 2)
        assert studio.stop()[0] == 0


def test_design_keys(folder):
    """A pose becomes a key of a designed motion: in the take, which repeats; undone, redone; written into the scene."""
    scene = SOURCE / "gallery/design/bounce.json"
    studio = Studio(LIMBER, str(scene), "--into", str(folder), "--threads", "1", cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 1)
    name = page.hello["objects"][0]["name"]

    def keys(p):
        return p.state.get("keys", {}).get(name, [])
    page.until(lambda p: p.frame >= 8)
    assert page.ask("pause") is None
    page.until(lambda p: p.state.get("playing") is False and keys(p))
    begin, frame, fps = len(keys(page)), page.state["frame"], page.hello["scene"]["fps"]
    assert page.ask("key_handle", object=name, time=77, vertex=0, to=[0, 0, 0]).count("has no key at 77 s")
    for round in "via", "key":
        assert page.ask("pose", object=name, on=True, **{"from": "now"}) is None
        assert page.ask("handle", id=1, triangle=0, at=[1, 0, 0], hard=True) is None
        at = [o for o in page.others if o["kind"] == "pose"][-1]["handles"][0]["at"]
        assert page.ask("handle_move", id=1, to=[at[0] + 0.03, at[1] + 0.05, at[2]]) is None
        time = (frame + (0.5 if round == "via" else 0)) / fps
        said = page.ask("keep_pose", time=time, **{"as": round})
        assert said is None, said
    page.until(lambda p: len(keys(p)) == begin + 2 and p.state.get("frame") == frame)
    assert page.ask("undo") is None
    page.until(lambda p: len(keys(p)) == begin + 1)
    assert page.ask("redo") is None
    page.until(lambda p: len(keys(p)) == begin + 2)
    assert page.ask("rewind", frame=0) is None and page.ask("play") is None  # and anew from the beginning
    page.until(lambda p: p.frame >= 10)
    assert page.ask("pause") is None and page.ask("keep", name="posed", **{"as": "take"}) is None
    take = next(folder.rglob("posed.take"))
    code, words = replay(folder, scene, take)
    assert code == 0 and "as recorded" in words, words
    assert page.ask("write") is None
    page.until(lambda p: len(keys(p)) == begin + 2 and p.state.get("planned") == 0)
    assert len(page.hello["document"]["objects"][0]["design"]["keys"]) == begin + 2
    assert page.ask("undo") is None  # and they are commands again
    page.until(lambda p: len(keys(p)) == begin + 2 and p.state.get("planned", 0) > 2)
    said = page.ask("remove_key", object=name, time=frame / fps)
    assert said is None, said
    page.until(lambda p: len(keys(p)) == begin + 1)
    studio.stop(signal.SIGKILL)  # and brought back
    studio = Studio(LIMBER, str(scene), "--into", str(folder), "--threads", "1", cwd=folder)
    page = studio.connect().until(lambda p: p.hello and p.hello.get("recover"))
    assert page.ask("recover", yes=True) is None
    assert page.ask("rewind", frame=1) is None and page.ask("step", frames=1) is None
    page.until(lambda p: len(keys(p)) == begin + 1)
    assert studio.stop()[0] == 0


def test_uploads(folder):
    studio = Studio(LIMBER, "--into", str(folder / "drop"), cwd=folder)
    page = studio.connect().until(lambda p: p.hello)
    assert page.hello["mode"] == "gallery" and any(g["name"] == "match/twist" for g in page.hello["gallery"])
    cube = SOURCE / "gallery/assets/cuboid-surface.ply"
    assert studio.upload("block.ply", cube.read_bytes(), token="0" * 32)[0] == 403
    assert studio.upload("block.ply", cube.read_bytes(), origin="http://evil.example")[0] == 403
    for name in ("..%2Fevil.ply", "evil.sh", ".hidden.ply", "a%20b.ply", ""):
        assert studio.upload(name, b"x")[0] == 400, name
    assert studio.request(f"/upload?token={studio.token}&name=a.ply", "POST", b"",
                          {"Origin": f"http://{studio.host}", "Content-Length": str(65 << 20)})[0] == 413
    assert studio.upload("block.ply", cube.read_bytes()) == (200, {"stored": "block.ply"})
    assert studio.upload("block.ply", cube.read_bytes()) == (200, {"stored": "block.ply"}), "the same again"
    assert studio.upload("block.ply", b"ply\n") == (200, {"stored": "block-2.ply"}), "nothing is written over"
    assert page.ask("open", scene="block-2.ply"), "a damaged mesh is told"
    assert page.ask("open", scene="block.ply") is None
    page.until(lambda p: p.hello["mode"] == "scene" and p.frames > 5)
    assert page.hello["objects"][0]["engine"] == "act", "any mesh becomes a character"
    assert page.ask("add", object={"mesh": "block.ply", "position": [1.5, 1, 0]}) is None
    page.until(lambda p: len(p.hello["objects"]) == 2)
    assert page.ask("save") is None
    assert page.ask("open", scene="match/beta") is None
    page.until(lambda p: p.hello["scene"]["name"] == "beta")
    assert page.ask("close") is None
    page.until(lambda p: p.hello["mode"] == "gallery")
    assert studio.stop()[0] == 0


def test_added_mesh_goes_with_the_scene(folder):
    """A mesh in millimetres, put where something stands, gets a size and a place that go with what is there."""
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    cube = [f"v {x} {y} {z}" for x in (0, 900) for y in (0, 900) for z in (0, 900)]
    cube += [f"f {f}" for f in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")]
    assert studio.upload("cube.obj", "\n".join(cube).encode())[0] == 200
    assert page.ask("add", object={"mesh": "cube.obj", "near": [0, 0]}) is None
    page.until(lambda p: len(p.hello["objects"]) == 2 and p.frames > 3)
    added = page.hello["document"]["objects"][1]
    assert added["place"] == "ground" and 0.5 < 900 * added["scale"] < 5, added
    assert max(abs(added["position"][0]), abs(added["position"][2])) > 0.5, f"it stands beside the other: {added}"
    assert page.ask("copy", path=["objects", 1]) is None
    page.until(lambda p: len(p.hello["objects"]) == 3)
    copied = page.hello["document"]["objects"][2]
    assert copied["position"][0] - added["position"][0] > 900 * added["scale"], f"its own width aside: {copied}"
    assert studio.stop()[0] == 0


def test_takes_of_a_mesh(folder):
    """A mesh that lies elsewhere: takes fit the scene that is written beside them."""
    (folder / "there").mkdir()
    mesh = folder / "there" / "block.ply"
    mesh.write_bytes((SOURCE / "gallery/assets/cuboid-surface.ply").read_bytes())
    studio = Studio(LIMBER, str(mesh), "--into", str(folder / "into"), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    drag(page, "block", frames=5)
    assert page.ask("release", id=1) is None and page.ask("pause") is None
    assert page.ask("keep", name="mine", **{"as": "take"}) is None
    code, words = replay(folder, folder / "into" / "block.json", folder / "into" / "mine.take")
    assert code == 0 and "as recorded" in words, words
    assert studio.stop()[0] == 0
    assert sorted(p.name for p in (folder / "there").iterdir()) == ["block.ply"], "nothing is written there"


def own_scene(folder):
    """twist with its meshes, in the folder."""
    text = TWIST.read_text()
    for path in (SOURCE / "gallery/assets").glob("cuboid*"):
        if path.name in text:
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "mine.json").write_text(text.replace("../assets/", ""))
    return "mine.json"


def test_edits_lose_nothing(folder):
    """An edit starts the world again: what was performed is kept as a take, live settings stay, and undo brings all back."""
    scene = own_scene(folder)
    studio = Studio(LIMBER, scene, "--into", str(folder), cwd=folder)  # the same folder by another name
    page = studio.connect().until(lambda p: p.frames > 3)
    assert page.ask("set", object="cuboid", key="beta", value=0.5) is None
    drag(page, frames=5)
    assert page.ask("release", id=1) is None
    assert page.ask("pause") is None and page.ask("rewind", frame=0) is None  # as placing things does
    assert page.ask("edit", path=["objects", 0, "match", "frequency"], value=11) is None
    page.until(lambda p: p.state.get("settings", {}).get("cuboid", {}).get("beta") == 0.5)
    page.until(lambda p: any("mine-take.take" in t["text"] for t in p.told))
    assert page.ask("edit", path=["objects", 0, "match", "frequency"], value=-1), "is refused"
    assert len(list(folder.glob("*.take"))) == 1
    assert page.ask("undo") is None
    assert page.ask("take", name="mine-take.take") is None, "it fits again"
    page.send("play")
    assert page.ask("set", object="cuboid", key="beta", value=0.4) is None and page.ask("write") is None
    page.until(lambda p: p.hello["document"]["objects"][0]["match"]["beta"] == 0.4 and p.state.get("settings") == {})
    assert page.ask("save", overwrite=True) is None
    assert studio.stop()[0] == 0
    written = json.loads(next(folder.glob("mine*.json")).read_text())
    assert written["objects"][0]["mesh"] == "cuboid.msh", written["objects"][0]
    assert run("check", scene, cwd=folder).returncode == 0


def test_keeps(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    drag(page, frames=5)
    page.ask("pause")
    wanted = {"cache": "a.lmc", "pc2": "a.pc2", "mdd": "a.mdd", "picture": "a.png", "scene": "a.json"}
    if shutil.which("ffmpeg"):
        wanted["video"] = "a.mp4"
    for kind in wanted:
        assert page.ask("keep", **{"as": kind, "name": "a"}) is None
    page.until(lambda p: len([t for t in p.told if t["level"] == "saved"]) == len(wanted), 600)
    for name in wanted.values():
        assert (folder / name).stat().st_size > 100, name
    assert not list(folder.glob("*.part*")), list(folder.glob("*.part*"))
    assert run("info", "a.lmc", cwd=folder).returncode == 0
    assert page.ask("keep", **{"as": "take", "name": "mine"}) is None
    level = json.loads((folder / "mine.take").read_text().splitlines()[0])["simd"]
    done = run("run", "a.json", "--simd", level, "--out", "again.pc2", "--seconds", str(page.state["frames"] / 30), cwd=folder)
    assert done.returncode == 0, done.stderr
    one, two = (folder / "a.pc2").read_bytes(), (folder / "again.pc2").read_bytes()
    assert one[32:] == two[32:len(one)], "the scene made of the take moves as the take"
    assert studio.stop()[0] == 0


# ---- accidents ----

def test_killed_and_recovered(folder):
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    assert page.hello["recover"] is None
    assert page.ask("edit", path=["objects", 0, "match", "frequency"], value=11) is None
    page.until(lambda p: p.frame > 3)
    drag(page)
    page.ask("release", id=1)
    page.ask("pause")
    page.until(lambda p: not p.state["playing"])
    frame = page.state["frame"] // 24 * 24 or page.state["frame"]
    page.ask("rewind", frame=min(frame, 12))
    page.until(lambda p: p.frame == min(frame, 12))
    shape = page.positions[0]
    studio.stop(signal.SIGKILL)
    studio = Studio(LIMBER, str(TWIST), "--into", str(folder), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 0)
    assert page.hello["recover"]["commands"] > 3, page.hello["recover"]
    assert page.ask("recover", yes=True) is None
    page.until(lambda p: p.hello["recover"] is None)
    assert page.ask("rewind", frame=min(frame, 12)) is None
    page.until(lambda p: p.frame == min(frame, 12))
    assert page.positions[0] == shape, "the performance is as it was"
    assert any(t["name"].startswith("recovered") for o in page.others if o["kind"] == "takes" for t in o["takes"])
    assert studio.stop()[0] == 0


def test_reload_and_changed_file(folder):
    scene = folder / "mine.json"
    text = json.loads(TWIST.read_text())
    for key in ("mesh", "surface"):
        text["objects"][0][key] = str((TWIST.parent / text["objects"][0][key]).resolve())
    text["objects"][0]["match"]["examples"] = [str((TWIST.parent / "../assets/cuboid-twist.msh").resolve())]
    scene.write_text(json.dumps(text))
    studio = Studio(LIMBER, str(scene), cwd=folder)
    page = studio.connect().until(lambda p: p.frames > 3)
    text["objects"][0]["match"]["frequency"] = 21
    scene.write_text(json.dumps(text))
    page.until(lambda p: any(x["key"] == "frequency" and x["value"] == 21 for x in p.hello["objects"][0]["settings"]))
    scene.write_text("{ broken")
    page.until(lambda p: any("mine.json" in t["text"] for t in p.told if t["level"] == "error"))
    frame = page.frame
    page.until(lambda p: p.frame > frame + 3)  # it goes on with what it had
    page.close()
    page = studio.connect().until(lambda p: p.hello and p.frames > 1)
    assert page.frame >= frame, "a page that is opened again finds the world as it was"
    assert studio.stop()[0] == 0


def test_bad_starts(folder):
    assert run("live", "none.json", "--no-open", cwd=folder).returncode == 2
    (folder / "bad.json").write_text('{"limber": 1, "objects": [{"name": "x"}]}')
    done = run("live", "bad.json", "--no-open", cwd=folder)
    assert done.returncode == 2 and "bad.json" in done.stderr, done.stderr
    assert run("live", "a.json", "b.json", cwd=folder).returncode == 2
    assert run("live", "--port", "99999", cwd=folder).returncode == 2
    assert run("live", "--help", cwd=folder).returncode == 0
    studio = Studio(LIMBER, cwd=folder)
    done = run("live", "--port", str(studio.port), "--no-open", cwd=folder)
    assert done.returncode == 1 and "port" in done.stderr, done.stderr
    assert studio.stop()[0] == 0


def main():
    tests = {name: value for name, value in globals().items() if name.startswith("test_")}
    chosen = sys.argv[3:] or list(tests)
    for name in chosen:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder + "/cache"
            tests[name](pathlib.Path(folder))
        print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
    print(f"{len(chosen)} passed, 0 failed")


if __name__ == "__main__":
    if subprocess.run([LIMBER, "live", "--help"], capture_output=True).returncode != 0:
        sys.exit(77)
    main()
