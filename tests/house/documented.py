"""Runs what README.md and docs/*.md show: `sh run` blocks as commands, `json scene PATH` blocks as files, `c program NAME`
blocks as programs against the library of the build; and follows links to our own files. Usage: documented.py SOURCE BUILD"""

import glob
import os
import re
import subprocess
import sys
import tempfile

source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = ran = 0


def run(command, folder, page):
    global failures, ran
    ran += 1
    done = subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        failures += 1
        print("%s: this fails with code %d:\n%s\n%s%s" % (page, done.returncode, command, done.stdout, done.stderr))


with tempfile.TemporaryDirectory(prefix="limber-docs-") as folder:
    os.symlink(build, os.path.join(folder, "build"))
    os.symlink(os.path.join(source, "gallery"), os.path.join(folder, "gallery"))
    for page in sorted([os.path.join(source, "README.md"), *glob.glob(os.path.join(source, "docs", "*.md"))]):
        with open(page) as f:
            page_text = f.read()
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page_text):
            if not os.path.exists(os.path.join(os.path.dirname(page), link)):
                failures += 1
                print("%s: the link %s leads nowhere" % (page, link))
        blocks = re.findall(r"^```(\w+) (run|scene|program) ?(\S*)\n(.*?)^```$", page_text, re.M | re.S)
        for language, kind, name, text in blocks:
            if kind == "run":
                run(text, folder, page)
            elif kind == "scene":
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w") as f:
                    f.write(text)
            else:
                with open(os.path.join(folder, name + ".c"), "w") as f:
                    f.write(text)
                run("cc -std=c17 -Wall -Wextra -Werror -I%s/include %s.c -o %s -L%s -llimber -Wl,-rpath,%s -lm && ./%s %s"
                    % (source, name, name, build, build, name, "gallery/match/twist.json" if name in ("scene_run", "directed", "seen") else ""),
                    folder, page)
print("%d passed, %d failed" % (ran - failures, failures))
sys.exit(failures > 0 or ran == 0)
