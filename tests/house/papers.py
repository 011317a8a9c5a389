#!/usr/bin/env python3
"""papers.py SOURCE [--write] [--measure BUILD]: docs/papers.md is what bench/papers.json says, with measured numbers.

bench/papers.json lists every figure, table and numbered claim of the four papers: where it is, the command that makes
it here, the paper's number, and ours as text with places for numbers:

    {bench:NAME:FIELD}       a field of a row of bench/results/bench.csv; {bench:NAME:size:PATTERN} the group of a pattern in it
    {stat:SCENE@SECONDS:PATH}   a number of the statistics of a run, as objects.0.dofs; objects.*.dofs|max, |min, |sum or
                             |count gather over objects
    {print:PROGRAM:PATTERN}  the group of a pattern in what a program below the build folder prints

--measure runs the scenes and programs and keeps their numbers in bench/results/papers.json. --write writes the page."""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PLACE = re.compile(r"\{(bench|stat|print):((?:[^{}]|\{[^{}]*\})*)\}")
GATHER = {"max": max, "min": min, "sum": sum, "count": len}


def items(source):
    return json.loads((source / "bench/papers.json").read_text())


def places(source):
    for paper in items(source)["papers"]:
        for item in paper["items"]:
            yield from PLACE.findall(item["ours"])


def dig(value, path):
    path, _, how = path.partition("|")
    values = [value]
    for step in path.split("."):
        values = [inner for v in values for inner in (v if step == "*" else [v[int(step)] if isinstance(v, list) else v[step]])]
    return GATHER[how](values) if how else values[0]


def measure(source, build):
    runs, kept = {}, {}
    for kind, text in places(source):
        if kind == "stat":
            runs.setdefault(text.split(":", 1)[0], []).append(text)
        elif kind == "print":
            runs.setdefault("print " + text.split(":", 1)[0], []).append(text)
    for run, wanted in sorted(runs.items()):
        print(run, flush=True)
        if run.startswith("print "):
            out = subprocess.run([build / run[6:]], capture_output=True, text=True, check=True)
            for text in wanted:
                kept[text] = re.search(text.split(":", 1)[1], out.stdout + out.stderr)[1]
            continue
        scene, _, seconds = run.partition("@")
        with tempfile.TemporaryDirectory() as folder:
            command = [build / "limber", "run", source / f"gallery/{scene}.json", "--quiet", "--threads", "1", "--out", f"{folder}/a.lmc",
                       "--stats", f"{folder}/stats.json"] + (["--seconds", seconds] if seconds else [])
            subprocess.run(command, check=True)
            statistics = json.loads(pathlib.Path(folder, "stats.json").read_text())
        for text in wanted:
            kept[text] = dig(statistics, text.split(":", 1)[1])
    (source / "bench/results/papers.json").write_text(json.dumps(kept, indent="\t", sort_keys=True) + "\n")


def shown(value):
    return value if isinstance(value, str) else "%.3g" % value if value != int(value) else "%d" % value


def page(source):
    with open(source / "bench/results/bench.csv", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    kept = json.loads((source / "bench/results/papers.json").read_text())

    def number(match):
        if match[1] != "bench":
            assert match[2] in kept, f"{match[2]} was not measured; papers.py SOURCE --measure BUILD does"
            return shown(kept[match[2]])
        name, field, *pattern = match[2].split(":", 2)
        text = rows[name][field]
        return re.search(pattern[0], text)[1] if pattern else "%.3g" % float(text)

    def command(item):
        """With the length of the run that the numbers are of, and where they are printed."""
        text = item["command"]
        for scene, seconds in re.findall(r"\{stat:([\w/-]+)(?:@([\d.]+))?:", item["ours"])[:1]:
            if f"gallery/{scene}.json" in text:
                text += (f" --seconds {seconds}" if seconds else "") + " --stats stats.json"
        return f"`{text}`" if text else ""

    content = items(source)
    lines = ["# The four papers, item by item", "", *content["text"]]
    for paper in content["papers"]:
        lines += ["", f"## {paper['title']}", "", "| where | what | here | the paper | limber | departs |", "| --- | --- | --- | --- | --- | --- |"]
        for item in paper["items"]:
            cells = [item["where"], item["what"], command(item), item.get("paper", ""),
                     PLACE.sub(number, item["ours"]), item.get("departs", "")]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    source = pathlib.Path(sys.argv[1])
    if "--measure" in sys.argv:
        measure(source, pathlib.Path(sys.argv[sys.argv.index("--measure") + 1]).resolve())
    for item in (i for paper in items(source)["papers"] for i in paper["items"]):
        for scene in re.findall(r"gallery/[\w/-]+\.json", item["command"]):
            assert (source / scene).exists(), scene + " is not there"
    made, path = page(source), source / "docs/papers.md"
    if "--write" in sys.argv:
        path.write_text(made)
    elif path.read_text() != made:
        print(f"{path}: not what bench/papers.json and the results say; tests/house/papers.py SOURCE --write makes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
