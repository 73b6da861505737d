#!/usr/bin/env python3
"""Runs vmaf under valgrind at about forty picture sizes around the limits of the metrics, and with every metric.

  valgrind_sizes.py VMAF CLIPGEN

Each size must end with a score, or with exit status 234 or 255 and a message; valgrind must find nothing.
"""
import json
import os
import subprocess
import sys
import tempfile

vmaf, clipgen = map(os.path.abspath, sys.argv[1:3])
sizes = [(w, h) for w, h in
         [(1, 1), (1, 80), (80, 1), (2, 2), (3, 3), (7, 7), (8, 8), (9, 8), (8, 33), (15, 15), (16, 16), (16, 64), (64, 16),
          (17, 17), (17, 64), (64, 17), (18, 19), (20, 21), (23, 23), (24, 40), (25, 31), (31, 31), (32, 32), (33, 32),
          (32, 33), (33, 33), (34, 47), (35, 35), (40, 40), (41, 43), (47, 48), (48, 64), (49, 50), (63, 64), (64, 64),
          (65, 63), (66, 66), (72, 79), (79, 80), (80, 80)]]
problems = 0
with tempfile.TemporaryDirectory() as folder:
    for number, (w, h) in enumerate(sizes):
        depth = "10" if number % 3 == 2 else "8"
        clip = [clipgen, "--size", f"{w}x{h}", "--frames", "2", "--format", "444", "--depth", depth, "--scene", "noise"]
        ref, dis, out = (os.path.join(folder, name) for name in ("ref.yuv", "dis.yuv", "out.json"))
        subprocess.check_call(clip + [ref])
        subprocess.check_call(clip + ["--distort", "blur:1", dis])
        if os.path.exists(out):
            os.remove(out)
        run = subprocess.run(["valgrind", "-q", "--error-exitcode=99", "--leak-check=no", vmaf, "-r", ref, "-d", dis, "-w", str(w),
                              "-h", str(h), "-p", "444", "-b", depth, "--json", "-o", out], capture_output=True, text=True)
        scored = run.returncode == 0 and os.path.exists(out)
        refused = run.returncode in (234, 255) and not os.path.exists(out) and run.stderr.strip() and min(w, h) < 17
        if not (scored or refused):
            problems += 1
            print(f"{w}x{h} {depth} bit: exit {run.returncode}\n{run.stderr[-2000:]}")
    # Every metric, at a size that all support.
    clip = [clipgen, "--size", "218x178", "--frames", "2", "--format", "420", "--depth", "8", "--scene", "street"]
    subprocess.check_call(clip + [ref := os.path.join(folder, "ref.y4m")])
    subprocess.check_call(clip + ["--distort", "dct:40", dis := os.path.join(folder, "dis.y4m")])
    names = json.loads(subprocess.check_output([vmaf, "--capabilities"]))["features"]
    for name in names:
        run = subprocess.run(["valgrind", "-q", "--error-exitcode=99", "--leak-check=no", vmaf, "-r", ref, "-d", dis, "-n", "--feature", name, "--json", "-o",
                              os.devnull], capture_output=True, text=True)
        if run.returncode != 0:
            problems += 1
            print(f"{name}: exit {run.returncode}\n{run.stderr[-2000:]}")
print(f"{len(sizes) + len(names) - problems} passed, {problems} failed")
sys.exit(1 if problems else 0)
