#!/usr/bin/env python3
"""A corpus of three encoders, two presets, five qualities and two sources, killed in the middle: sixty rows, each with the
score that vmaf gives on the decoded files.

  corpus_test.py VMAF_TUNE VMAF CLIPGEN
"""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

tune, vmaf, clipgen = map(os.path.abspath, sys.argv[1:4])
ENCODERS = ("libx264", "libx265", "libsvtav1")


def read(path):
    return [json.loads(line) for line in open(path) if line.endswith("}\n")] if os.path.exists(path) else []


with tempfile.TemporaryDirectory(prefix="vmaf-tune-corpus") as folder:
    sources = {}
    for name, depth, scene in (("first", 8, "street"), ("second", 10, "cut")):
        sources[name] = f"{folder}/{name}.y4m"
        subprocess.check_call([clipgen, "--size", "176x144", "--frames", "8", "--format", "420", "--depth", str(depth), "--scene", scene, sources[name]])
    output = folder + "/corpus.jsonl"
    command = [tune, "corpus", "--preset", "veryfast", "--preset", "ultrafast", "--crf-range", "22:42:5", "--score-scale", "none", "--jobs", "2", "--keep", "--work-dir", folder + "/kept",
               "--cache-dir", folder + "/cache", "-o", output, "--resume", "-q"]
    for source in sources.values(): command += ["-i", source]
    for encoder in ENCODERS: command += ["-e", encoder]

    # Killed after about a third; a torn line follows.
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    while len(read(output)) < 20 and process.poll() is None: time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = read(output)
    assert 20 <= len(before) < 60, len(before)
    with open(output, "a") as file: file.write('{"src": "torn')
    with sqlite3.connect(folder + "/cache/cache.sqlite3") as database: known = {key for key, in database.execute("select key from results where kind = 1")}
    assert len(known) >= len(before)

    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
    rows = read(output)
    cells = [(r["src"], r["encoder"], r["preset"], r["crf"]) for r in rows]
    assert len(rows) == 60 and len(set(cells)) == 60, len(rows)
    assert [r["run_id"] for r in rows[:len(before)]] == [r["run_id"] for r in before], "rows from before the kill must stay"
    assert all(r["exit_status"] == 0 for r in rows)
    for row in rows[len(before):]: assert row["from_cache"] == (row["score_key"] in known), "nothing is computed twice"
    assert cells == sorted(cells, key=lambda c: (list(sources.values()).index(c[0]), ENCODERS.index(c[1]), ["veryfast", "ultrafast"].index(c[2]), c[3])), "rows keep the order of the grid"
    print(f"ok - 60 rows, {len(before)} before the kill, {sum(r['from_cache'] for r in rows[len(before):])} from the cache")

    # Scores again with files on disk and the vmaf command.
    subprocess.run([c for c in command if c != "--resume"] + ["--overwrite", "--no-cache"], stdin=subprocess.DEVNULL, check=True)
    again = {(r["src"], r["encoder"], r["preset"], r["crf"]): r for r in read(output)}
    quiet = ["ffmpeg", "-y", "-nostdin", "-v", "error"]
    for row in rows:
        twin = again[row["src"], row["encoder"], row["preset"], row["crf"]]
        assert twin["score"] == row["score"], "an encode without the cache scores the same"
        bits = 10 if "10" in row["pix_fmt"] + row["produced_pix_fmt"] else 8
        for source, raw in ((twin["encode_path"], folder + "/d.yuv"), (row["src"], folder + "/r.yuv")):
            subprocess.check_call(quiet + ["-i", source, "-pix_fmt", "yuv420p10le" if bits == 10 else "yuv420p", "-f", "rawvideo", raw])
        subprocess.check_call([vmaf, "-r", folder + "/r.yuv", "-d", folder + "/d.yuv", "-w", "176", "-h", "144", "-p", "420", "-b", str(bits), "-q", "--precision", "max", "--json", "-o", folder + "/o.json"])
        score = json.load(open(folder + "/o.json"))["pooled_metrics"]["vmaf"]["mean"]
        assert abs(score - row["score"]) < 1e-9, (row["src"], row["encoder"], row["preset"], row["crf"], score, row["score"])
    print("ok - 60 scores equal those of vmaf on the decoded files")
