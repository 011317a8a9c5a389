"""kill.py LIMBER [--kills N] [--seed S]: runs are killed (kill -9) at random moments and resumed, again and again, until
they have ended; what they leave is the same to the bit as what a run leaves that nobody killed."""
import argparse
import os
import time

from trust import OBJECTS, Folder, keep, seeded


def outputs(folder, name):
    rows = [row.split(",") for row in folder.read(name + ".csv").decode().split("\n")]
    numbers = [row[:2] + row[3:] for row in rows]  # all but how long each frame took
    return folder.read(name + ".lmc"), numbers


def words(scene, name):
    return ["run", scene + ".json", "--out", name + ".lmc", "--stats-frames", name + ".csv", "--threads", "2", "--quiet"]


def kill_once(folder, scene, wait, resume):
    """True when the run was still going on."""
    run = folder.start(*words(scene, "a"), *(["--resume"] if resume else []))
    time.sleep(wait)
    run.kill()
    said = run.communicate()[1]
    if run.returncode not in (0, -9):
        raise AssertionError("exit code %d: %s" % (run.returncode, said))
    return run.returncode == -9


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = seeded(args.seed)
    kills, resumed, tries = 0, 0, 0
    with Folder(args.limber) as folder:
        whole, length = {}, {}
        for scene in OBJECTS:
            begin = time.monotonic()
            folder.good(*words(scene, scene))
            length[scene] = time.monotonic() - begin
            whole[scene] = outputs(folder, scene)
        while kills < args.kills:
            scene = list(OBJECTS)[tries % len(OBJECTS)]
            tries += 1
            for file in os.listdir(folder.path):
                if file.startswith("a."):
                    os.remove(folder.at(file))
            if tries > 50 * args.kills:
                raise AssertionError("runs end before they can be killed")
            going = kill_once(folder, scene, random.uniform(0, length[scene]), False)
            while going and kills < args.kills:
                kills += 1
                going = random.random() < 0.5 and kill_once(folder, scene, random.uniform(0, length[scene]), True)
            folder.good(*words(scene, "a"), "--resume")
            resumed += 1
            for what, found, wanted in zip(("cache", "numbers"), outputs(folder, "a"), whole[scene]):
                if found != wanted:
                    raise AssertionError("%s: its %s differs after try %d" % (scene, what, tries))
    keep("kill", kills=kills, runs=resumed, scenes=len(OBJECTS))


main()
