#!/usr/bin/env python3
"""The overhead of a score: a process per score, compared with requests to `vmaf --serve`.

  scorer_start.py VMAF CLIPGEN
"""
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

SCORES, ROUNDS = 40, 3
vmaf, clipgen = map(os.path.abspath, sys.argv[1:3])


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processes(arguments):
    for _ in range(SCORES): subprocess.check_call([vmaf, *arguments])


def requests(arguments):
    with subprocess.Popen([vmaf, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        def message():
            length = struct.unpack("<I", server.stdout.read(4))[0]
            return json.loads(server.stdout.read(length))

        message()
        for number in range(SCORES):
            text = json.dumps({"type": "score", "id": number, "arguments": arguments}).encode()
            server.stdin.write(struct.pack("<I", len(text)) + text)
            server.stdin.flush()
            while (answer := message())["type"] == "frames": pass
            assert answer["exit_code"] == 0, answer
        server.stdin.close()


with tempfile.TemporaryDirectory() as folder:
    clip = folder + "/clip.y4m"
    subprocess.check_call([clipgen, "--size", "64x64", "--frames", "2", clip])
    words = ["--quiet", "--json", "-o", folder + "/scores.json", "--threads", "2", "--model", "version=vmaf_v0.6.1", "-r", clip, "-d", clip]
    for way in (processes, requests):
        figures = []
        for _ in range(ROUNDS):
            cpu, begin = processor_time(), time.monotonic()
            way(words)
            figures.append(((processor_time() - cpu) / SCORES * 1000, (time.monotonic() - begin) / SCORES * 1000))
        print(f"{way.__name__}: {min(f[0] for f in figures):.1f} ms of processor time, {min(f[1] for f in figures):.1f} ms")
