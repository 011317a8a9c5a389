"""powercut.py LIMBER SHIM [--cuts N] [--seed S]: the power goes at any moment, and the disk keeps what it was told to keep
and any part of the rest.

A run is recorded call by call (shim.c). For each cut the folder is made as a disk could have it then: of what was done to
files since their last fsync each write is there or not, or torn, with zeros where data is missing; of what was done to
names since the folder's last fsync each change is there or not. The run must go on from that with --resume, and leave the
same cache and numbers, to the bit, as one that was never cut off."""
import argparse
import os
import struct

from trust import Folder, keep, seeded

HEAD = struct.Struct("@c3xII4xQQ")
NAMES = ("a.lmc", "a.lmc.checkpoint", "a.lmc.checkpoint.before", "a.csv", "a.csv.part")


def read_record(path, folder):
    """Calls as (kind, name, second name, data, offset), of files in the folder."""
    with open(path, "rb") as f:
        log = f.read()
    calls, at = [], 0
    while at < len(log):
        kind, first, second, size, offset = HEAD.unpack_from(log, at)
        at += HEAD.size
        name, other = log[at:at + first].decode(), log[at + first:at + first + second].decode()
        at += first + second
        calls.append((kind.decode(), os.path.relpath(name, folder), os.path.relpath(other, folder) if other else "",
                      log[at:at + size], offset))
        at += size
    return calls


def put(data, kind, bytes_, offset):
    if kind == "T":
        del data[offset:]
    data += bytes(max(0, offset - len(data)))
    data[offset:offset + len(bytes_)] = bytes_


class File:
    def __init__(self):
        self.calls, self.kept = [], 0  # the first `kept` of them for sure
        self.now = bytearray()  # as programs see it

    def add(self, kind, data, offset):
        if kind == "C":  # it was looked at: what is new since is a write
            offset = len(os.path.commonprefix([bytes(self.now), data]))
            if len(data) < len(self.now):
                self.add("T", b"", len(data))
            kind, data = "W", data[offset:]
        if data or kind == "T":
            self.calls.append((kind, data, offset))
            put(self.now, kind, data, offset)

    def content(self, random):
        data = bytearray()
        for i, (kind, bytes_, offset) in enumerate(self.calls):
            luck = 0 if i < self.kept else random.random()
            if luck > 0.5:  # the length is there, the bytes are not
                bytes_ = bytes(len(bytes_))
            elif luck > 0.3:  # torn
                bytes_ = bytes_[:random.randrange(len(bytes_) + 1)]
            if luck <= 0.7:  # else it is not there at all
                put(data, kind, bytes_, offset)
        return bytes(data)


def play(calls, random):
    """The folder as names and contents, after a power cut behind these calls."""
    files, now, disk, pending = {}, {}, {}, []

    def settle(all_of_them):
        for change in pending:
            if not all_of_them and random.random() < 0.5:
                continue
            kind, name, file = change
            if kind == "U":
                disk.pop(name, None)
            else:
                for other in [n for n, f in disk.items() if f is file]:  # a rename takes the old name away
                    del disk[other]
                disk[name] = file
        pending.clear()

    for kind, name, other, data, offset in calls:
        if kind in "WCT":
            if name not in now:
                now[name] = File()
                pending.append(("N", name, now[name]))
            now[name].add(kind, data, offset)
        elif kind == "F" and name in now:
            now[name].kept = len(now[name].calls)
        elif kind == "D":
            settle(True)
        elif kind == "R" and name in now:
            now[other] = now.pop(name)
            pending.append(("R", other, now[other]))
        elif kind == "U":
            now.pop(name, None)
            pending.append(("U", name, None))
    settle(False)
    return {name: file.content(random) for name, file in disk.items()}


def numbers(folder, name):
    rows = [row.split(",") for row in folder.read(name).decode().split("\n")]
    return [row[:2] + row[3:] for row in rows]  # all but how long each frame took


def record(folder, shim, scene, name, log, *more):
    env = {"LD_PRELOAD": shim, "SHIM_RECORD": log, "SHIM_CLOCK": "1"}
    folder.good("run", scene, "--out", name + ".lmc", "--stats-frames", name + ".csv", "--threads", "1", *more, env=env)
    return read_record(log, folder.path)


def first_sure(calls):
    """From which call on there is a checkpoint that no power cut takes away."""
    named = next(i for i, call in enumerate(calls) if call[0] == "R" and call[2] == "a.lmc.checkpoint")
    return next(i for i in range(named, len(calls)) if calls[i][0] == "D")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("shim")
    parser.add_argument("--cuts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = seeded(args.seed)
    sums = {"cuts": 0, "went_on": 0, "began_again": 0, "calls": 0}
    with Folder(args.limber, seconds=1) as folder:
        scenes = ["match.json", "world.json"]
        calls, whole, sure = {}, {}, {}
        for scene in scenes:
            calls[scene] = record(folder, os.path.abspath(args.shim), scene, "a", folder.at("log"))
            whole[scene] = folder.read("a.lmc"), numbers(folder, "a.csv")
            kinds = {call[0] for call in calls[scene]}
            assert kinds >= set("WCFDR"), "nothing was recorded: %s" % kinds
            os.remove(folder.at("log"))
            sure[scene] = first_sure(calls[scene])
            sums["calls"] += len(calls[scene])
            for name in NAMES:
                if os.path.exists(folder.at(name)):
                    os.remove(folder.at(name))
        for cut in range(args.cuts):
            scene = scenes[cut % len(scenes)]
            at = random.randrange(len(calls[scene]) + 1)
            state = play(calls[scene][:at], random)
            for name in os.listdir(folder.path):
                if name.startswith("a."):
                    os.remove(folder.at(name))
            for name, data in state.items():
                folder.write(name, data)
            said = folder.good("run", scene, "--out", "a.lmc", "--stats-frames", "a.csv", "--resume", "--threads", "1")
            if (folder.read("a.lmc"), numbers(folder, "a.csv")) != whole[scene]:
                raise AssertionError("cut %d of %s behind call %d of %d: differs\n%s" %
                                     (cut, scene, at, len(calls[scene]), said))
            sums["cuts"] += 1
            again = "from the beginning" in said
            assert not (again and at > sure[scene]), "cut %d of %s behind call %d: %s" % (cut, scene, at, said)
            sums["began_again" if again else "went_on"] += 1
    keep("powercut", **sums)


main()
