#!/usr/bin/env python3
"""mentions.py [ROOT]: every file that a comment of ours names (*.md, *.c, *.h, *.py, *.sh) is in the repository.

A name may leave out folders in front ("oscillator.c", "design/motion.h") and may have wildcards ("keys_*.c", "fuzz_NAME.c").

mentions.py --self-test: fabricates comments and expects exactly the wrong names to be found.
"""
import fnmatch
import pathlib
import re
import sys

FOLDERS = ("src", "include", "cli", "gallery/make", "bench", "tests", "cmake", "tools")
COMMENT = {".c": r"//[^\n]*|/\*.*?\*/", ".h": r"//[^\n]*|/\*.*?\*/", ".py": r'\A(?:#![^\n]*\n)?""".*?"""|(?m:^\s*|  )# [^\n]*', ".sh": r"(?m)(?:^|\s)#[^\n]*",
           ".txt": r"#[^\n]*", ".cmake": r"#[^\n]*"}
NAME = re.compile(r"(?<![\w<./*-])[\w*][\w./*-]*\.(?:md|c|h|py|sh)\b(?![\w/*])")
NOT_NAMES = {"b.c", "lambda.c", "n.h"}  # products of vectors


def names_in(text, suffix):
    for comment in re.finditer(COMMENT[suffix], text, re.S):
        for name in NAME.finditer(comment[0]):
            yield text.count("\n", 0, comment.start() + name.start()) + 1, name[0]


def exists(name, files):
    name = re.sub(r"[A-Z]{4,}(?!.*\.md)", "*", name)  # fuzz_NAME.c
    return name in NOT_NAMES or any(fnmatch.fnmatchcase(file, name) or fnmatch.fnmatchcase(file, "*/" + name)
                                   for file in files)


def self_test():
    files = ["docs/match.md", "src/match/step.c", "src/scene/keys_act.c"]
    text = ("// step.c and match/step.c, see docs/match.md; keys_*.c\nint a; // lost.md, and other/step.c\n"
            "/* gone_*.h\n nowhere.py */ char* c = \"none.md\";\n")
    found = [(line, name) for line, name in names_in(text, ".c") if not exists(name, files)]
    assert found == [(2, "lost.md"), (2, "other/step.c"), (3, "gone_*.h"), (4, "nowhere.py")], found
    print("mentions: the check finds names that lead nowhere, and only those")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    ours = [f for f in root.rglob("*") if f.is_file() and f.relative_to(root).parts[0] not in ("build", "out", ".git")]
    files = [f.relative_to(root).as_posix() for f in ours]
    known = {}
    found = count = 0
    for file, path in zip(ours, files):
        if file.suffix not in COMMENT or not path.startswith(FOLDERS) or path == "tests/house/mentions.py":
            continue
        for line, name in names_in(file.read_text(encoding="utf-8"), file.suffix):
            count += 1
            if not known.setdefault(name, exists(name, files)):
                found += 1
                print(f"{path}:{line}: there is no {name}")
    print(f"mentions: {count} names, {found} lead nowhere")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
