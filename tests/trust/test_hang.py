"""test_hang.py LIMBER SHIM: a disk that does not answer. The work itself cannot end then: the watcher of signals ends the process, with the
words and the exit code of any other end."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

LIMBER, SHIM = map(os.path.abspath, sys.argv[1:3])
SCENE = {"limber": 1, "seconds": 80000, "objects": [
    {"name": "block", "engine": "match", "mesh": "block.obj", "lattice": {"vertices": 200}, "match": {}}]}
BLOCK = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def main():
    with tempfile.TemporaryDirectory(prefix="limber-trust-") as folder:
        for name, text in ("scene.json", json.dumps(SCENE)), ("block.obj", BLOCK):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        sign = os.path.join(folder, "hangs")
        run = subprocess.Popen([LIMBER, "run", "scene.json", "--out", "a.lmc"], cwd=folder, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "LD_PRELOAD": SHIM, "SHIM_CLOCK": "1", "SHIM_HANG": sign})
        while not os.path.exists(sign):
            time.sleep(0.002)
            assert run.poll() is None, "ended too early"
        run.send_signal(signal.SIGTERM)
        try:
            said = run.communicate(timeout=120)[1]
        except subprocess.TimeoutExpired:
            run.kill()
            raise
        assert run.returncode == 143 and "--resume" in said, (run.returncode, said)
    print("1 passed, 0 failed")


main()
