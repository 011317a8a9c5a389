#!/usr/bin/env python3
"""bench_rows.py LIMBER_BENCH [--rows]: the rows that were promised exist, and (without --rows) a row that is measured is
laid out as promised."""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROWS = ["match/cuboid-global", "match/cuboid-local", "match/cylinder", "match/cylinder-local", "match/cylinder-free",
        "match/teddy", "match/car", "match/slope", "match/cylinder-100k", "match/cylinder-100k-2t",
        "match/cylinder-100k-free", "match/martin", "track/box", "track/flag", "track/flag-preview", "track/bag-silk",
        "track/xavier", "track/constraints", "track/drape-1600", "track/drape-10k", "track/drape-10k-2t", "track/conflict",
        "track/shell-10k", "track/shell-40k", "act/forward-3k", "act/forward-30k", "act/step-solid2", "act/step-shell",
        "act/step-solid3", "act/step-large", "act/step-full",
        *(f"act/step-{what}-{way}" for what in ("solid2", "shell", "solid3", "large", "full") for way in ("gn", "warm")),
        "sparse/act-1k", "sparse/act-30k", "sparse/track-1600", "sparse/track-10k", "sparse/design-dodge"]
program = sys.argv[1]


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


listed = run("--list").stdout.split()
assert set(ROWS) <= set(listed), set(ROWS) - set(listed)
assert run("--list", "slope").stdout.split() == ["match/slope"]
assert run("--list", "match/cuboid-*").stdout.split() == ["match/cuboid-global", "match/cuboid-local"]

if sys.argv[2:] == ["--rows"]:
    sys.exit(0)

for arguments, code in [(["nothing-like-it"], 2), (["--unknown"], 2), (["--json"], 2)]:
    result = run(*arguments)
    assert result.returncode == code and result.stderr, (arguments, result)

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "rows.json"
    table = pathlib.Path(folder) / "rows.csv"
    result = run("match/car", "--json", str(file), "--csv", str(table))
    assert result.returncode == 0, result
    rows = json.loads(file.read_text())["rows"]
    lines = list(csv.DictReader(table.open(newline="")))
    assert run("match/car", "--csv", folder + "/no/such/folder.csv").returncode == 1
    assert run("match/car", "--json", folder + "/no/such/folder.json").returncode == 1
assert [row["name"] for row in rows] == ["match/car"]
row = rows[0]
assert "match/car" in result.stdout and row["unit"] == "ms per step" and "192" in row["size"], row
assert row["paper"] == 0.27 and row["reference"]["name"], row
for value in (row["value"], row["reference"]["value"], row["ratio"], *row["split"].values()):
    assert math.isfinite(value) and value > 0, row
assert abs(row["ratio"] * row["value"] / row["reference"]["value"] - 1) < 1e-3, row
assert set(row["split"]) == {"shape matching", "projection"}, row
assert list(lines[0]) == ["name", "value", "unit", "size", "paper", "reference", "ratio", "split", "machine", "compiler",
                          "commit", "date"], lines
assert len(lines) == 1 and lines[0]["name"] == "match/car" and lines[0]["size"] == row["size"], lines
assert all(lines[0].values()) and None not in lines[0], lines  # nothing is empty, no comma too many
assert abs(float(lines[0]["ratio"]) / row["ratio"] - 1) < 1e-4, (lines, row)
print("bench_rows: as promised")
