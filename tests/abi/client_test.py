#!/usr/bin/env python3
"""A C client that works like FFmpeg's filter gets the command's scores, with any number of threads.

  client_test.py CLIENT VMAF CLIPGEN
"""
import json
import os
import subprocess
import sys
import tempfile

client, vmaf, clipgen = map(os.path.abspath, sys.argv[1:4])
with tempfile.TemporaryDirectory() as folder:
    for size, form, depth in (("176x144", "420", "8"), ("130x98", "422", "10"), ("96x80", "444", "12")):
        ref, dis, out, out2 = (os.path.join(folder, name) for name in ("ref.yuv", "dis.yuv", "a.json", "b.json"))
        clip = [clipgen, "--size", size, "--frames", "4", "--format", form, "--depth", depth, "--scene", "cut"]
        subprocess.check_call(clip + [ref])
        subprocess.check_call(clip + ["--distort", "dct:30", dis])
        w, h = size.split("x")
        subprocess.check_call([vmaf, "-r", ref, "-d", dis, "-w", w, "-h", h, "-p", form, "-b", depth, "-q", "--json", "-o", out])
        expected = json.load(open(out))
        for threads in ("0", "2"):
            run = subprocess.run([client, ref, dis, w, h, form, depth, threads, "vmaf_v0.6.1", out2], capture_output=True, text=True)
            assert run.returncode == 0, run.stderr
            got = json.load(open(out2))
            assert got["frames"] == expected["frames"], "frames differ"
            assert got["pooled_metrics"] == expected["pooled_metrics"], "pooled metrics differ"
            assert abs(float(run.stdout) - expected["pooled_metrics"]["vmaf"]["mean"]) < 1e-6
            assert "backend_used" not in got
print("the client and the command agree")
