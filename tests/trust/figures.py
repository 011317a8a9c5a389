"""figures.py BUILD [--write]: the figures of the last run of each test of trust, as a table; --write puts it into docs/trust.md.
Those of `make test-all` count where there are any: they have the most tries."""
import json
import os
import sys

NAMES = {
    "kill": "runs killed and resumed", "powercut": "power cuts", "lock": "many runs on one cache",
    "outputs": "outputs on disks that fail", "limits": "limits, estimates, other builds", "memory": "too little memory",
    "interrupts": "Ctrl-C in every phase", "damaged": "checkpoints with values that no run writes",
    "mutants": "damaged files of every kind", "mutants_sanitized": "damaged files, under the sanitizers",
    "longrun": "a long run of all engines",
}
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"


def table(folder):
    lines = ["| what | figures of the last run |", "| --- | --- |"]
    for name, title in NAMES.items():
        paths = [os.path.join(folder, "all", name + ".json"), os.path.join(folder, name + ".json")]
        path = paths[0] if os.path.exists(paths[0]) else paths[1]
        if os.path.exists(path):
            with open(path) as f:
                figures = json.load(f)
            text = ", ".join("%s %s" % (format_number(value), what.replace("_", " ")) for what, value in figures.items())
        else:
            text = "has not run"
        lines.append("| %s | %s |" % (title, text))
    return "\n".join(lines) + "\n"


def format_number(value):
    return "{:,}".format(int(value) if value == int(value) else value)


def main():
    text = table(os.path.join(sys.argv[1], "trust"))
    if "--write" not in sys.argv:
        print(text, end="")
        return
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/trust.md")
    with open(page) as f:
        before, rest = f.read().split(BEGIN)
    with open(page, "w") as f:
        f.write(before + BEGIN + text + END + rest.split(END)[1])


main()
