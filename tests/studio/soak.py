#!/usr/bin/env python3
"""soak.py LIMBER SOURCE [--seconds S] [--seed N] [--scene FILE]: random use of the studio: grabs, commands, settings, rewinds, edits,
reloads, pages that come and go, takes. Nothing may crash, memory stays flat, and every take replays as recorded.

The test run has a minute of it; `--seconds 3600` is the hour. With --scene all of the time goes to one scene."""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from wire import Studio  # noqa: E402

SCENES = ["gallery/match/twist.json", "gallery/act/i-bent.json", "gallery/match/teddy.json"]
SETTLED = 600  # seconds


class Hand:
    """A page that does anything a person might do."""

    def __init__(self, studio, luck):
        self.studio, self.luck, self.held, self.kept, self.done = studio, luck, set(), 0, 0
        self.page = studio.connect().until(lambda p: p.frames > 0)

    def object(self):
        return self.luck.randrange(len(self.page.hello["objects"]))

    def place(self, i):
        surface = next(k for k, s in enumerate(self.page.hello["surfaces"]) if s["object"] == i)
        triangle = self.luck.randrange(self.page.hello["surfaces"][surface]["triangles"])
        return {"object": self.page.hello["objects"][i]["name"], "triangle": triangle, "at": [0.5, 0.25, 0.25]}

    def grab(self):
        i, identity = self.object(), self.luck.randrange(20)
        self.page.send(self.luck.choice(["grab", "grab", "pin"]), id=identity, **self.place(i))
        self.held.add(identity)

    def move(self):
        for identity in self.held:
            self.page.send("move", id=identity, to=[self.luck.uniform(-1, 1), self.luck.uniform(0.1, 2),
                                                    self.luck.uniform(-1, 1)])

    def release(self):
        if self.held:
            self.page.send("release", id=self.held.pop())

    def push(self):
        self.page.send("push", impulse=[self.luck.uniform(-1, 1) for _ in range(3)], **self.place(self.object()))

    def command(self):
        me = self.page.hello["objects"][self.object()]
        if me["behaviours"]:
            self.page.send("command", object=me["name"], behaviour=self.luck.choice(me["behaviours"]),
                           velocity=[self.luck.uniform(-0.5, 0.5), 0, 0])

    def set(self):
        me = self.page.hello["objects"][self.object()]
        live = [x for x in me["settings"] if x["live"] and x["kind"] == "number" and x["value"]]
        if live:
            x = self.luck.choice(live)
            self.page.send("set", object=me["name"], key=x["key"], value=x["value"] * self.luck.uniform(0.8, 1.2))

    def rewind(self):
        self.page.send("rewind", frame=self.luck.randrange(self.page.state.get("frames", 0) + 1))

    def undo(self):
        self.page.send(self.luck.choice(["undo", "redo"]))

    def transport(self):
        self.page.send(self.luck.choice(["pause", "play", "play"]))

    def record(self):
        self.page.send("record", on=self.luck.random() < 0.5)

    def reload(self):
        self.page.send("reload")

    def come_and_go(self):
        self.page.close()
        self.held.clear()
        self.page = self.studio.connect().until(lambda p: p.frames > 0)

    def keep(self):
        if self.page.ask("keep", **{"as": "take", "name": f"kept-{self.kept}"}) is None:
            self.kept += 1

    def do_something(self):
        deeds = [(self.grab, 6), (self.move, 30), (self.release, 5), (self.push, 3), (self.command, 4), (self.set, 3),
                 (self.rewind, 3), (self.undo, 1), (self.transport, 2), (self.record, 0.3), (self.reload, 0.5),
                 (self.come_and_go, 1), (self.keep, 0.3)]
        self.luck.choices([d for d, _ in deeds], [w for _, w in deeds])[0]()
        self.done += 1
        self.page.told, self.page.others = self.page.told[-20:], self.page.others[-20:]


def use(limber, scene, folder, seconds, luck):
    """Returns how often something was done, and the memory after ten minutes (a sixth of a short time) and at the end."""
    studio = Studio(limber, str(scene), "--into", str(folder), cwd=folder)
    hand = Hand(studio, luck)
    begin, early = time.monotonic(), None
    settled = SETTLED if seconds > 1.5 * SETTLED else seconds / 6
    while time.monotonic() < begin + seconds:
        hand.do_something()
        count = hand.page.frames
        if hand.page.state.get("playing"):
            hand.page.until(lambda p: p.frames > count or not p.state.get("playing"))
        else:
            hand.page.ask("speed", value=1)  # a person sees what happens before doing more
        if early is None and time.monotonic() > begin + settled:
            early = studio.memory()
    hand.page.send("play")
    hand.keep()
    late = studio.memory()
    code, said = studio.stop()
    assert code == 0, (code, said[-2000:])
    takes = sorted(folder.glob("*.take"))
    assert takes
    for take in takes if seconds > 60 else takes[-8:]:
        done = subprocess.run([limber, "run", scene, "--take", take, "--out", folder / "again.lmc", "--quiet"],
                              capture_output=True, text=True)
        assert done.returncode == 0, (take, done.stderr)
    return hand.done, len(takes), early, late


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("limber")
    parser.add_argument("source")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", help="a scene's file, from SOURCE on")
    given = parser.parse_args()
    limber, source = os.path.abspath(given.limber), pathlib.Path(given.source).resolve()
    scenes = [given.scene] if given.scene else SCENES
    each = given.seconds / len(scenes)
    for i, name in enumerate(scenes):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder + "/cache"
            done, takes, early, late = use(limber, source / name, pathlib.Path(folder), each,
                                           random.Random(given.seed + i))
        growth = late / early - 1
        print(f"{name}: {done} deeds, {takes} takes, memory {early / 1e6:.0f} to {late / 1e6:.0f} MB", flush=True)
        # in a short run the history of frames is still filling up to its bound, 128 MB
        assert growth < 0.05 or late - early < (160e6 if each < 1.5 * SETTLED else 5e6), growth
    print(f"{len(scenes)} passed, 0 failed")


if __name__ == "__main__":
    main()
