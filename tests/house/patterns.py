#!/usr/bin/env python3
"""patterns.py [ROOT]: no source of ours has a pattern that is forbidden here. Comments are not looked at.

patterns.py --self-test: every rule finds its own bad example, leaves its good one alone, and keeps to its folders.

To forbid something else, add a Rule: the check and its self-test both read the table.
"""
import pathlib
import re
import sys
from typing import NamedTuple

EVERYWHERE = ("src", "include", "cli", "gallery/make", "bench", "tests")


class Rule(NamedTuple):
    pattern: str  # a regular expression; a line that it matches is wrong
    reason: str  # what is wrong, and what would be right
    bad: str  # a line that must be found
    good: str  # a line like it that must not
    folders: tuple = EVERYWHERE
    allowed: tuple = ()  # files that may


RULES = [
    Rule(r"\(\s*&[^()]*(\.|->)\w+\s*\)\s*\[", "indexes past a member, which is undefined; lm_v3_get(v, k) is defined",
         "x[k] = (&body->low.x)[k];", "x[k] = lm_v3_get(body->low, k) + (&list[2])[k];"),
    Rule(r"\*\s*\w+\s*=\s*&[^,;]*(\.|->)[xyzw]\s*[,;]",
         "points at one coordinate, beyond which nothing may be read; lm_v3_store(array, 0, v) gives an array",
         "const double *v = &at.x, *w = NULL;", "const double *v = &at.x[3 * i], *w = NULL;"),
    Rule(r"\((const )?(double|float)\s*\*\)\s*&", "reads a struct as an array, which is undefined; copy its members",
         "sum((const double*)&centre);", "sum((const double*)centre);"),
    Rule(r"\b(clock_gettime|gettimeofday|omp_get_wtime)\s*\(", "one clock is enough: lm_clock_seconds",
         "clock_gettime(CLOCK_MONOTONIC, &t);", "double t = lm_clock_seconds();",
         allowed=("src/base/clock.c", "bench/track.c", "bench/characters_trial.c", "tests/trust/shim.c")),
    Rule(r"\bclock\s*\(\s*\)|\blm_clock_seconds\s*\(", "a busy machine would fail it: count the work, measure time in bench/",
         "assert_true(lm_clock_seconds() - begin < 1);", "assert_true(work.candidates < 1000);", folders=("tests",),
         allowed=("tests/act/ipopt_step.c",)),  # which bench/ uses, too
    Rule(r"3\.14159", "pi stands in math/vec.h: LM_PI", "double pi = 3.14159265358979323846;", "double pi = LM_PI;",
         folders=("src",), allowed=("src/math/vec.h",)),
]


def without_comments(text):
    """Line by line, so that numbers of lines stay; strings are left alone as far as they stand in one line."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
    return token.sub(lambda m: m[0] if m[0][0] == '"' else "\n" * m[0].count("\n"), text)


def findings(path, text):
    rules = [rule for rule in RULES if path not in rule.allowed and
             any(path.startswith(folder + "/") for folder in rule.folders)]
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        for rule in rules:
            if re.search(rule.pattern, line):
                yield f"{path}:{number}: {line.strip()}\n\t{rule.reason}"


def self_test():
    for rule in RULES:
        path = rule.folders[0] + "/a.c"
        assert len(list(findings(path, "int a;\n\t" + rule.bad))) == 1, rule
        assert not list(findings(path, rule.good)), rule
        assert not list(findings(path, "// " + rule.bad + "\n/* " + rule.bad + " */")), rule
        assert not list(findings("elsewhere/a.c", rule.bad)), rule
        for file in rule.allowed:
            assert not list(findings(file, rule.bad)), rule
    print(f"patterns: all {len(RULES)} rules find what they forbid and nothing else")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [f for folder in EVERYWHERE for f in sorted((root / folder).rglob("*.[ch]"))]
    found = [line for f in files for line in findings(f.relative_to(root).as_posix(), f.read_text(encoding="utf-8"))]
    print("\n".join(found) if found else f"patterns: {len(files)} files have none of {len(RULES)} forbidden patterns")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
