#!/usr/bin/env python3
"""quoted.py SOURCE [--write]: tables of benchmark rows in docs/ are those of bench/results/bench.csv.

A page asks for rows by a comment, and what follows it up to the next comment is made from the CSV:

    <!-- rows: act/step-* -->
    ...
    <!-- end of rows -->

--write makes the tables anew, after `make bench-keep`."""
import csv
import fnmatch
import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- rows: ([^>]+) -->\n).*?(<!-- end of rows -->)", re.S)


def number(text):
    return "%.3g" % float(text) if text else ""


def table(rows, patterns):
    found = [row for row in rows if any(fnmatch.fnmatchcase(row["name"], p) for p in patterns)]
    assert found, "no row is like " + " ".join(patterns)
    numbers = ["value"] + [k for k in ("paper", "reference", "ratio") if any(row[k] for row in found)]
    titles = ["row", "unit", "limber", *numbers[1:], "what"]
    lines = ["| " + " | ".join(titles) + " |", "|" + " --- |" * len(titles)]
    for row in found:
        what = row["size"] + (f"; of it {row['split']}" if row["split"] else "")
        cells = ["`%s`" % row["name"], row["unit"], *(number(row[k]) for k in numbers), what]
        lines.append("| " + " | ".join(cells) + " |")
    of = found[0]
    lines += ["", f"(`bench/results/bench.csv`: {of['machine']}, {of['compiler']}, commit {of['commit']}, {of['date'][:10]})"]
    return "\n".join(lines) + "\n"


def main():
    source = pathlib.Path(sys.argv[1])
    with open(source / "bench/results/bench.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    wrong, blocks = [], 0
    for page in sorted((source / "docs").glob("*.md")):
        text = page.read_text()
        made = BLOCK.sub(lambda m: m[1] + table(rows, m[2].split()) + m[3], text)
        blocks += len(BLOCK.findall(text))
        if made != text and "--write" in sys.argv:
            page.write_text(made)
        elif made != text:
            wrong.append(str(page))
    assert blocks > 0, "no page quotes a row"
    for page in wrong:
        print(f"{page}: its rows are not those of bench/results/bench.csv; tests/house/quoted.py SOURCE --write makes them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
