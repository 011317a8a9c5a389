"""memory.py LIMBER: verbs with less memory than they need. How much address space each needs is found by bisection, down to
a megabyte; on the way it must end with exit code 0, or with 1 or 2 and a sentence, never by a signal, and leave no file that
is not whole."""
import argparse
import os
import resource

from trust import Folder, keep

MOST = 6000  # MB


def limited(folder, words, megabytes):
    limit = megabytes << 20
    return folder.run(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


def least(try_with, low, high):
    """The least number of megabytes that is enough, between one that is not and one that is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if try_with(middle) else (middle, high)
    return high


def judge(folder, words, output, megabytes, sums):
    for name in os.listdir(folder.path):
        if name.startswith("x."):
            os.remove(folder.at(name))
    code, said = limited(folder, words, megabytes)
    left = [name for name in os.listdir(folder.path) if ".tmp" in name]
    if code not in (0, 1, 2) or (code != 0 and not said.strip()) or left:
        raise AssertionError("%s with %d MB: exit code %d, left %s: %s" % (" ".join(words), megabytes, code, left, said))
    if code != 0 and output not in (None, "x.lmc") and os.path.exists(folder.at(output)):
        raise AssertionError("%s with %d MB: %s is there" % (" ".join(words), megabytes, output))
    sums["tries"] += 1
    sums["done" if code == 0 else "refused"] += 1
    return code == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("limber")
    args = parser.parse_args()
    sums = {"verbs": 0, "tries": 0, "refused": 0, "done": 0}
    with Folder(args.limber, seconds=1) as folder:
        folder.good("run", "match.json", "--out", "in.lmc", "--quiet")
        start = least(lambda megabytes: limited(folder, ["--version"], megabytes)[0] == 0, 0, MOST)
        for words, output in ((["run", "world.json", "--out", "x.lmc", "--threads", "2"], "x.lmc"),
                              (["check", "world.json"], None), (["info", "block.obj", "in.lmc"], None),
                              (["mesh", "block.obj", "--out", "x.msh", "--vertices", "300000"], "x.msh"),
                              (["render", "in.lmc", "--out", "x.png", "--size", "1500x1500"], "x.png"),
                              (["regions", "design.json", "--out", "x.json"], "x.json")):
            enough = start + 16
            while not judge(folder, words, output, enough, sums):
                enough += enough - start
            needed = least(lambda megabytes: judge(folder, words, output, megabytes, sums), start, enough)
            print("memory: limber %s: %d MB, of which %d to start" % (words[0], needed, start))
            sums["verbs"] += 1
    if sums["refused"] < sums["verbs"]:
        raise AssertionError("the limits limited nothing: %s" % sums)
    keep("memory", **sums)


main()
