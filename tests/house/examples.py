#!/usr/bin/env python3
"""examples.py INCLUDE [CC]: the examples in the opening comments of the public headers compile, against those headers.

An example is the indented part of the opening comment, the body of a function that returns an lm_status. What it takes
from around it is declared in GIVEN, and nothing else is.

examples.py --self-test [CC]: an example that is out of date is found, one that is not is left alone.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

GIVEN = {
    "act": "lm_mesh letter, const lm_act_goal* goals, int count, lm_colliders* colliders, double* positions, int steps",
    "act_character": "const lm_mesh* surface",
    "act_pilot": "lm_act* body, lm_act_hop hop, const int32_t* hand, const double* up, lm_act_target target, double h, "
                   "lm_colliders* colliders, int steps",
    "command": "lm_world* world",
    "pose": "lm_world* world, const double* target, void (*draw)(const double*)",
    "elastic": "double (*energy)(const lm_elastic_at*), void (*first)(const lm_elastic_at*, double*, double*), "
               "void (*second)(const lm_elastic_at*, double*, double*, double*)",
    "design": "lm_mesh mesh, const lm_design_pose_handle* handles, const double* targets, float* positions, float* normals, "
              "volatile bool dragging",
    "match": "lm_mesh cuboid, const double* twisted, lm_colliders* colliders, double* positions, int frames",
    "track": "lm_mesh undeformed, const double* const* frames, const double* guide_positions, double* positions, int steps",
    "view": "lm_world* world, void (*draw_point)(const double*)",
}


def example_of(text):
    opening = re.match(r"(//.*\n)*", text)[0]
    return "\n".join(line[5:] for line in opening.splitlines() if line.startswith("//   "))


def complaint(include, header, given, cc):
    """What the compiler says of the example of a header; "" when there is nothing to say, None when there is no example."""
    example = example_of((include / "limber" / header).read_text(encoding="utf-8"))
    if ";" not in example:
        return None
    source = (f'#include "limber/{header}"\nlm_status example(lm_host host, lm_error error, {given});\n'
              f"lm_status example(lm_host host, lm_error error, {given})\n{{\n#line 1 \"example of {header}\"\n"
              f"{example}\nreturn LM_OK;\n}}\n")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "example.c"
        file.write_text(source)
        return subprocess.run([cc, "-std=c17", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only",
                               f"-I{include}", str(file)], capture_output=True, text=True).stderr


def self_test(cc):
    header = """// a.h: does it.
//
//   int n = 3; // of them
//   if (lm_do(n, &host, &error) != LM_OK)
//       return error.status;
//
// And so on.
#include <stdbool.h>
typedef struct lm_host { int n; } lm_host;
typedef enum lm_status { LM_OK } lm_status;
typedef struct lm_error { lm_status status; } lm_error;
lm_status lm_do(int n, const lm_host* host, lm_error* error);
"""
    wrong = {"good.h": header, "arguments.h": header.replace("&host, &error)", "&error)"),
             "prose.h": header.replace("if (", "in each step if ("), "none.h": header.replace("//  ", "// -")}
    with tempfile.TemporaryDirectory() as folder:
        include = pathlib.Path(folder)
        (include / "limber").mkdir()
        for name, text in wrong.items():
            (include / "limber" / name).write_text(text)
        said = {name: complaint(include, name, "int unused", cc) for name in wrong}
    assert said["good.h"] == "" and said["none.h"] is None, said
    assert "too few arguments" in said["arguments.h"] and "example of prose.h" in said["prose.h"], said
    print("examples: the check finds examples that are out of date")


def main():
    if sys.argv[1] == "--self-test":
        self_test(sys.argv[2] if len(sys.argv) > 2 else "cc")
        return 0
    include, cc = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cc"
    said = {header.name: complaint(include, header.name, GIVEN.get(header.stem, "int none"), cc)
            for header in sorted((include / "limber").glob("*.h"))}
    with_example = [name for name, text in said.items() if text is not None]
    failed = [name for name in with_example if said[name]]
    for name in failed:
        print(said[name])
    lost = [stem for stem in GIVEN if stem + ".h" not in with_example]
    for stem in lost:
        print(f"examples: {stem}.h has no example any more")
    if not failed and not lost:
        print(f"examples: those of {' '.join(with_example)} compile")
    return 1 if failed or lost else 0


if __name__ == "__main__":
    sys.exit(main())
