#!/usr/bin/env python3
"""symbols.py SHARED STATIC [HEADER]...: every name that our libraries show to a program starts with lm_, and every
function that the headers declare (LM_API) is in the shared library, and nothing else is. Of CHOLMOD nothing is called
but what finds orders of elimination: the rest of it is partly under the GPL.

symbols.py --types ROOT: no two types (struct, union, enum, typedef) of src and include have the same name, but for
types without the prefix lm_ that are local to different .c files, and machine vectors (vector_size).

symbols.py --self-test [CC]: builds libraries and headers with fabricated mistakes and expects exactly those.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PROMISE = re.compile(r"\bLM_API\b[^;{]*?\b(\w+)\s*\(")

# From CHOLMOD's Core and Cholesky modules, which are under the LGPL.
CHOLMOD = {"cholmod_" + name for name in ("start", "finish", "malloc", "calloc", "free", "allocate_sparse", "free_sparse",
                                          "free_factor", "analyze", "analyze_p")}


def names(*command):
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in output.splitlines() if len(line.split()) >= 3}


def check(shared, static, headers):
    exported = names("nm", "-D", "--defined-only", shared)
    globals_ = names("nm", "-g", "--defined-only", static)
    found = [f"{shared}: exports {name}" for name in sorted(exported) if not name.startswith("lm_")]
    found += [f"{static}: has the global {name}" for name in sorted(globals_) if not name.startswith("lm_")]
    called = {line.split()[-1] for line in subprocess.run(["nm", "-u", static], check=True, capture_output=True,
                                                          text=True).stdout.splitlines() if line.strip()}
    found += [f"{static}: calls {name}, which is none of the functions of CHOLMOD that it may call"
              for name in sorted(called - CHOLMOD) if name.startswith("cholmod_")]
    if headers:
        promised = set()
        for header in headers:
            text = re.sub(r"//.*|^\s*#.*", "", pathlib.Path(header).read_text(encoding="utf-8"), flags=re.M)
            promised |= set(PROMISE.findall(text))
        found += [f"{shared}: lacks {name}, which a header promises" for name in sorted(promised - exported)]
        found += [f"{shared}: exports {name}, which no header declares" for name in sorted(exported - promised)
                  if name.startswith("lm_")]
    return exported, globals_, found


# A definition, at the beginning of a line: "typedef struct name", "struct name", "enum name" with a body, or a typedef
# of something else, whose name comes last or, of functions and arrays, before "(" or "[".
BODY = re.compile(r"^(?:typedef\s+)?(?:struct|union|enum)\s+(\w+)\s*\{", re.M)
ALIAS = re.compile(r"^typedef\s+(?!(?:struct|union|enum)\s+\w*\s*\{)([^;{}]*);", re.M)
ANONYMOUS = re.compile(r"^typedef\s+(?:struct|union|enum)\s*\{.*?^\}\s*(\w+);", re.M | re.S)


def types_in(text):
    """The names of the types that a file defines. `typedef struct a a;` only declares one."""
    text = re.sub(r"//.*|^typedef.*vector_size.*", "", text, flags=re.M)
    found = set(BODY.findall(text)) | set(ANONYMOUS.findall(text))
    for alias in ALIAS.findall(text):
        declared = re.fullmatch(r"(?:struct|union|enum)\s+(\w+)\s+(\w+)", alias.strip())
        if declared and declared[1] == declared[2]:
            continue
        name = re.search(r"\(\s*\*\s*(\w+)\s*\)", alias) or re.search(r"(\w+)\s*(?:[(\[]|$)", alias)
        found.add(name[1])
    return found


def check_types(root):
    homes = {}
    files = sorted(path for folder in ("include", "src") for path in (root / folder).rglob("*.[ch]"))
    for path in files:
        for name in types_in(path.read_text(encoding="utf-8")):
            homes.setdefault(name, []).append(path.relative_to(root))
    found = []
    for name, places in sorted(homes.items()):
        local = not name.startswith("lm_") and all(place.suffix == ".c" for place in places)
        if len(places) > 1 and not local:
            found.append(f"the type {name} is in {' and '.join(map(str, places))}")
    return homes, found


def self_test_types():
    files = {
        "include/limber/a.h": "typedef struct lm_same\n{\n\tint a;\n} lm_same;\ntypedef struct lm_opaque lm_opaque;\n"
                              "typedef void lm_call(int a, int b);\nstruct lm_other* lm_get(void);\n",
        "src/a/a.h": "typedef enum lm_same\n{\n\tLM_A\n} lm_same;\nstruct lm_opaque\n{\n\tint a;\n};\n"
                     "typedef int lanes;\ntypedef float f4 __attribute__((vector_size(16)));\n// typedef struct lm_gone\n",
        "src/a/a.c": "typedef struct job\n{\n\tint a;\n} job;\ntypedef int lanes;\ntypedef int (*lm_call)(int);\n",
        "src/b/b.c": "typedef struct job\n{\n\tint b;\n} job;\ntypedef struct\n{\n\tint b;\n} lm_other;\n",
        "src/b/c.c": "struct lm_other\n{\n\tint a;\n};\ntypedef int lm_row[3];\n",
        "src/c/c.h": "typedef int lm_row[4];\ntypedef float f4 __attribute__((vector_size(16)));\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        homes, found = check_types(root)
    expected = ["lanes is in src/a/a.c and src/a/a.h", "lm_call is in include/limber/a.h and src/a/a.c",
                "lm_other is in src/b/b.c and src/b/c.c", "lm_row is in src/b/c.c and src/c/c.h",
                "lm_same is in include/limber/a.h and src/a/a.h"]
    assert found == ["the type " + line for line in expected], found
    assert set(homes) == {"lm_same", "lm_opaque", "lm_call", "lanes", "job", "lm_other", "lm_row"}, homes


def self_test(cc):
    source = """
        #define LM_API __attribute__((visibility("default")))
        LM_API int lm_good(void); LM_API int bad_export(void); int lm_inner(void); int bad_global(void);
        LM_API int lm_undeclared(void);
        int lm_good(void) { return 1; } int bad_export(void) { return 2; } int lm_undeclared(void) { return 6; }
        int lm_inner(void) { return 3; } int bad_global(void) { return 4; }
        int cholmod_start(void*); int cholmod_super_solve(void*);
        int lm_order(void) { return cholmod_start(0) + cholmod_super_solve(0); }
        static int fine(void) { return 5; } int (*lm_pointer)(void) = fine; int bad_data = 7;
    """
    header = """
        #define LM_API __attribute__((visibility("default")))
        LM_API int lm_good(void);
        // LM_API int lm_commented_out(void);
        LM_API const char*
        lm_missing(int a,
                   int b);
    """
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "a.c").write_text(source)
        (at / "a.h").write_text(header)
        flags = ["-fvisibility=hidden", "-fPIC"]
        subprocess.run([cc, *flags, "-c", at / "a.c", "-o", at / "a.o"], check=True)
        subprocess.run([cc, "-shared", at / "a.o", "-o", at / "liba.so"], check=True)
        subprocess.run(["ar", "rcs", at / "liba.a", at / "a.o"], check=True)
        found = check(str(at / "liba.so"), str(at / "liba.a"), [str(at / "a.h")])[2]
    words = sorted(line.split(": ", 1)[1] for line in found)
    expected = sorted(["exports bad_export", "has the global bad_export", "has the global bad_global",
                       "has the global bad_data",
                       "calls cholmod_super_solve, which is none of the functions of CHOLMOD that it may call",
                       "lacks lm_missing, which a header promises",
                       "exports lm_undeclared, which no header declares"])
    assert words == expected, (words, expected)
    print(f"symbols: the check finds all {len(expected)} fabricated mistakes and nothing else")


def main():
    if sys.argv[1] == "--types":
        homes, found = check_types(pathlib.Path(sys.argv[2]))
        print("\n".join(found) if found else f"symbols: {len(homes)} types, no name twice")
        return 1 if found or len(homes) < 100 else 0
    if sys.argv[1] == "--self-test":
        self_test_types()
        self_test(sys.argv[2] if len(sys.argv) > 2 else "cc")
        return 0
    exported, globals_, found = check(sys.argv[1], sys.argv[2], sys.argv[3:])
    print("\n".join(found) if found else f"symbols: {len(exported)} exported, {len(globals_)} global, all as they should be")
    return 1 if found or not exported or not globals_ else 0


if __name__ == "__main__":
    sys.exit(main())
