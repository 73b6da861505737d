#!/usr/bin/env python3
"""Runs the commands of the tutorial in an empty folder.

  tutorial_test.py TUTORIAL VMAF_TUNE CLIPGEN
"""
import os
import re
import subprocess
import sys
import tempfile

page, tune, clipgen = map(os.path.abspath, sys.argv[1:4])
blocks = re.findall(r"^```sh\n(.*?)^```", open(page).read(), re.S | re.M)
assert len(blocks) >= 4
with tempfile.TemporaryDirectory(prefix="vmaf-tune-tutorial") as folder:
    env = {**os.environ, "PATH": os.path.dirname(tune) + ":" + os.path.dirname(clipgen) + ":" + os.environ["PATH"], "XDG_CACHE_HOME": folder + "/cache", "TMPDIR": folder}
    for block in blocks:
        run = subprocess.run(["sh", "-eu", "-c", block], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert run.returncode == 0, block + run.stdout[-2000:] + run.stderr[-2000:]
        print("ok -", block.strip().splitlines()[0])
    for name in ("out.mkv", "report.html", "curves.svg", "curves.csv", "per_shot_encode.mp4", "plan.json"):
        assert os.path.getsize(f"{folder}/{name}") > 100, name
    assert not [n for n in os.listdir(folder) if n.startswith(".vmaf-tune")]
