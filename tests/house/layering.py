#!/usr/bin/env python3
"""layering.py [ROOT]: a module includes only itself and the modules below it, as CONTRIBUTING.md orders them.

    src/M/            its own headers, those of modules below it, and their public headers
    include/limber/   public headers of the same module or of modules below, and the C standard library
    cli/ studio/ gallery/make/ python/ blender/    nothing of ours but include/limber, and their own headers;
                      the command starts the studio through studio/studio.h

layering.py --self-test: fabricates a tree with one violation of each kind and expects exactly those to be found.
"""
import pathlib
import re
import sys
import tempfile

# Modules on the same line do not see each other.
LAYERS = [["base"], ["math"], ["sparse"], ["solve"], ["mesh"], ["io"], ["format"], ["elastic"], ["contact"],
          ["act", "match", "track", "design"], ["scene"], ["objects"], ["world"], ["render"]]
LEVEL = {module: level for level, layer in enumerate(LAYERS) for module in layer}
# Public headers that are not named after their module; limber.h includes everything and is for users only.
MODULE_OF_HEADER = {"act_pilot": "act", "act_character": "act", "command": "world", "field": "math", "pose": "world", "view": "world"}
OUTSIDE = ["cli", "studio", "gallery/make", "python", "blender"]
STANDARD = {"assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "limits", "locale", "math", "setjmp",
            "signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string",
            "time"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def may_see(module, other):
    return module == other or LEVEL[other] < LEVEL[module]


def owner_of_public(header):
    name = pathlib.PurePath(header).stem
    return MODULE_OF_HEADER.get(name, name)


def judge_ours(module, header, own_folder):
    """What is wrong with a file of src/module including the quoted header, or None."""
    parts = header.split("/")
    if (own_folder / header).is_file():
        return None if ".." not in parts else "reaches out of its folder"
    if parts[0] == "limber":
        owner = owner_of_public(header)
        if owner not in LEVEL:
            return f"{header} belongs to no module: include the header of the module"
        return None if may_see(module, owner) else f"{owner} is not below {module}"
    if parts[0] not in LEVEL:
        return f"{header} is not in a module"
    return None if may_see(module, parts[0]) else f"{parts[0]} is not below {module}"


def judge_public(module, quoted, header):
    if not quoted:
        return None if pathlib.PurePath(header).stem in STANDARD else f"<{header}> is not of the C standard library"
    if not header.startswith("limber/"):
        return f"{header} is not public"
    owner = owner_of_public(header)
    if module == "limber":
        return None
    return None if owner in LEVEL and may_see(module, owner) else f"{owner} is not below {module}"


def judge_outside(header, own_folder):
    if header in ("studio/studio.h",) or header.startswith("limber/") or ((own_folder / header).is_file() and ".." not in header.split("/")):
        return None
    return f"{header} is not public: only include/limber is"


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".c", ".h") and p.is_file())


def check(root):
    found = []
    files = 0

    def judge(path, quoted_only, verdict):
        for line, (mark, header) in includes(path):
            quoted = mark == '"'
            if quoted or not quoted_only:
                wrong = verdict(quoted, header)
                if wrong:
                    found.append(f"{path.relative_to(root)}:{line}: {wrong}")

    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        module = folder.name
        for path in sources(folder):
            files += 1
            if module not in LEVEL:
                found.append(f"{path.relative_to(root)}:1: {module} is not a module of CONTRIBUTING.md")
                continue
            judge(path, False, lambda quoted, header, path=path, module=module:
                  judge_ours(module, header, path.parent) if quoted or header.split("/")[0] in LEVEL | {"limber": 0}
                  else None)
    for path in sources(root / "include" / "limber"):
        files += 1
        module = owner_of_public(path.name)
        judge(path, False, lambda quoted, header, module=module: judge_public(module, quoted, header))
    for outside in OUTSIDE:
        for path in sources(root / outside):
            files += 1
            judge(path, True, lambda quoted, header, path=path: judge_outside(header, path.parent))
    return files, found


def includes(path):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.groups()


def self_test():
    tree = {
        "include/limber/base.h": "#include <stdint.h>\n",
        "include/limber/mesh.h": '#include "limber/base.h"\n',
        "include/limber/world.h": '#include "limber/scene.h"\n',
        "include/limber/scene.h": '#include "limber/mesh.h"\n',
        "include/limber/limber.h": '#include "limber/world.h"\n',
        "include/limber/io.h": '#include "limber/scene.h"\n#include <png.h>\n#include "base/alloc.h"\n',  # 3 wrong
        "src/base/alloc.h": "#include <stdlib.h>\n",
        "src/math/vec.h": "#include <math.h>\n",
        "src/math/svd.c": '#include "vec.h"\n#include "math/vec.h"\n#include "base/alloc.h"\n',
        "src/mesh/mesh.c": '#include "limber/mesh.h"\n#include "scene/keys.h"\n#include "limber/world.h"\n',  # 2 wrong
        "src/mesh/sneak.c": '#include "../base/alloc.h"\n#  include <scene/keys.h>\n',  # 2 wrong
        "src/match/step.c": '#include "track/wrinkle.h"\n#include "limber/limber.h"\n',  # 2 wrong
        "src/scene/keys.h": '#include "match/step.h"\n#include "limber/match.h"\n#include <jansson.h>\n',
        "src/util/junk.c": "",  # 1 wrong
        "cli/main.c": '#include "limber/limber.h"\n#include "cli.h"\n#include <stdio.h>\n',
        "cli/cli.h": "",
        "cli/run.c": '#include "base/alloc.h"\n#include "../src/base/alloc.h"\n',  # 2 wrong
        "gallery/make/main.c": '\n#include "math/vec.h"\n',  # 1 wrong
    }
    expected = {
        "include/limber/io.h:1", "include/limber/io.h:2", "include/limber/io.h:3", "src/mesh/mesh.c:2",
        "src/mesh/mesh.c:3", "src/mesh/sneak.c:1", "src/mesh/sneak.c:2", "src/match/step.c:1", "src/match/step.c:2",
        "src/util/junk.c:1", "cli/run.c:1", "cli/run.c:2", "gallery/make/main.c:2",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        files, found = check(root)
    places = {line.split(': ', 1)[0] for line in found}
    assert files == len(tree), (files, len(tree))
    assert places == expected, f"missed {sorted(expected - places)}, wrongly found {sorted(places - expected)}"
    print(f"layering: the check finds all {len(expected)} fabricated violations and nothing else")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files, found = check(root)
    print("\n".join(found) if found else f"layering: {files} files include only what they may")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
