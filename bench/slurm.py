#!/usr/bin/env python3
"""The overhead of vmaf-tune on Slurm, measured on a local cluster, and simulated for 1 to 1 000 nodes.

  slurm.py measure VMAF_TUNE CLIPGEN [--cells 1000] > measured.json   needs slurm-wlm, munge and root
  slurm.py simulate measured.json                                     a table for docs/usage/vmaf-tune/slurm.md

The simulation runs every unit of work: tasks start at the controller's rate, claim units by the tool's rule, and queue at the shared folder
for every operation of the tool. No parameter is fitted.
"""
import argparse
import glob
import heapq
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS_AT_ONCE = 20  # as in tools/tune/jobs/worker.cpp
# File operations of one unit in the shared folder, counted with strace (folders, creation, writing, links, renaming): claim 2, row 2,
# results of encode (twice) and score 3 each with 2 folders, the encode's link 3.
OPERATIONS_OF_UNIT = 2 + 2 + 11 + 3
OPERATIONS_OF_BATCH = 2  # the list of claims


def folder_rate(folder, count=2000):
    """Small files created, written and renamed per second, counted as three operations each."""
    begin = time.monotonic()
    for i in range(count):
        with open(f"{folder}/{i}.part", "w") as file: file.write("x" * 400)
        os.rename(f"{folder}/{i}.part", f"{folder}/{i}")
    return 3 * count / (time.monotonic() - begin)


def task_starts(slurm, folder, count=64):
    """Tasks that the controller starts per second if all fit: each records its start."""
    os.mkdir(folder)
    with slurm.Cluster(folder, cpus=count // 2) as cluster:
        subprocess.run(["sbatch", "--wait", f"--array=0-{count - 1}", "--output=/dev/null", "--wrap", f"date +%s.%N > {folder}/began-$SLURM_ARRAY_TASK_ID; sleep 20"], env=cluster.environment,
                       capture_output=True, check=True)
    began = sorted(float(open(path).read()) for path in glob.glob(folder + "/began-*"))
    return (len(began) - 1) / (began[-1] - began[0])


def measure(arguments):
    sys.path.insert(0, os.path.join(HERE, "../tests/slurm"))
    import cluster as slurm
    tune, clipgen = os.path.abspath(arguments.tune), os.path.abspath(arguments.clipgen)
    with tempfile.TemporaryDirectory(prefix="vmaf-tune-slurm-bench") as folder:
        os.chmod(folder, 0o755)  # for munge
        start_rate = task_starts(slurm, folder + "/starts")
        os.mkdir(folder + "/cluster")
        with slurm.Cluster(folder + "/cluster", cpus=1) as cluster:
            environment = {**cluster.environment, "XDG_CACHE_HOME": folder + "/cache", "TMPDIR": folder}
            clip = folder + "/clip.y4m"
            subprocess.check_call([clipgen, "--size", "64x64", "--frames", "4", "--format", "420", "--depth", "8", "--scene", "street", clip])
            step = 30 / arguments.cells
            begin = time.monotonic()
            subprocess.run([tune, "corpus", "-i", clip, "-e", "libx264", "--preset", "ultrafast", "--crf-range", f"15:{15 + 30 - step:.6f}:{step:.6f}", "--score-scale", "none", "-o", "rows.jsonl", "-q",
                            "--executor", "slurm", "--shared", folder + "/shared"], env=environment, cwd=folder, check=True)
            wall = time.monotonic() - begin
            rows = [json.loads(line) for line in open(folder + "/rows.jsonl")]
            logs = "".join(open(path).read() for path in glob.glob(folder + "/shared/runs/*/logs/*.log"))
            tasks = [(int(n), float(busy), float(around)) for n, busy, around in re.findall(r": (\d+) units in ([\d.]+) s, ([\d.]+) s around", logs)]
            busy = sum(t[1] for t in tasks)
            os.mkdir(folder + "/rate")
            rate = folder_rate(folder + "/rate")
            # Times the end of the run again: reads, sorts and writes all rows.
            run = glob.glob(folder + "/shared/runs/*")[0]
            with open(run + "/state.json") as file: state = json.load(file)
            with open(run + "/state.json", "w") as file: json.dump({k: v for k, v in state.items() if k != "exit_code"}, file)
            begin = time.monotonic()
            subprocess.run([tune, "__settle", run], env=environment, cwd=folder, check=True, stderr=subprocess.DEVNULL)
            merge = len(rows) / (time.monotonic() - begin)
            row_bytes = os.path.getsize(folder + "/rows.jsonl") / len(rows)
    json.dump({"cells": len(rows), "tasks": len(tasks), "wall_s": wall, "busy_s": busy, "around_s": sum(t[2] for t in tasks), "scheduling_percent": 100 * (1 - busy / (len(tasks) * wall)),
               "task_starts_per_s": start_rate, "folder_operations_per_s": rate, "merged_rows_per_s": merge, "row_bytes": row_bytes,
               "cell_s": sorted((r["encode_time_ms"] + r["score_time_ms"]) / 1000 for r in rows)[::max(1, len(rows) // 200)]}, sys.stdout, indent=1)
    print()


def simulate_run(nodes, cells, cell_seconds, starts_per_s, operations_per_s, merged_per_s, seed=1):
    """Wall time, and the shares of scheduler, folder and merge. `cell_seconds` draws a cell's time."""
    draw = random.Random(seed)
    left, folder_free, folder_busy, waited, worked = cells, 0.0, 0.0, 0.0, 0.0
    events = [((i + 1) / starts_per_s, i) for i in range(min(nodes, cells))]
    heapq.heapify(events)
    recent = {}
    end = 0.0
    while events:
        now, worker = heapq.heappop(events)
        end = max(end, now)
        if left == 0: continue
        done, seconds = recent.get(worker, (0.0, 0.0))
        count = 1 if done == 0 else max(1, min(int(SECONDS_AT_ONCE * done / max(seconds, 1e-3)), left // (2 * nodes)))
        count = min(count, left)
        left -= count
        service = (count * OPERATIONS_OF_UNIT + OPERATIONS_OF_BATCH) / operations_per_s
        begin = max(now, folder_free)
        folder_free = begin + service
        folder_busy += service
        waited += begin - now + service
        work = sum(cell_seconds(draw) for _ in range(count))
        worked += work
        recent[worker] = (done / 2 + count, seconds / 2 + work)
        heapq.heappush(events, (folder_free + work, worker))
    merge = cells / merged_per_s
    return {"wall": end + merge, "efficiency": worked / (min(nodes, cells) * (end + merge)), "start": min(nodes, cells) / starts_per_s, "folder_use": folder_busy / end, "folder_wait": waited / min(nodes, cells), "merge": merge}


def simulate(arguments):
    with open(arguments.measured) as file: measured = json.load(file)
    times = measured["cell_s"]
    mean = sum(times) / len(times)
    print(f"Measured: {measured['cells']} cells on {measured['tasks']} tasks in {measured['wall_s']:.1f} s, of which {measured['scheduling_percent']:.1f} % were not spent on cells;\n"
          f"{measured['task_starts_per_s']:.1f} task starts/s, {measured['folder_operations_per_s']:.0f} folder operations/s, {measured['merged_rows_per_s']:.0f} rows merged/s\n")
    print("| nodes | cell (s) | cells | hours | efficiency | starting (s) | folder used | merge (s) | first limit |\n|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for cell in (1, 10, 60, 600):
        for nodes in (1, 10, 100, 1000):
            cells = min(100 * nodes, 100_000)
            scale = cell / mean  # the measured spread, for cells of another length
            r = simulate_run(nodes, cells, lambda draw: scale * draw.choice(times), measured["task_starts_per_s"], arguments.operations or measured["folder_operations_per_s"], measured["merged_rows_per_s"])
            costs = {"scheduler": r["start"] / 2, "shared folder": r["folder_wait"], "merge": r["merge"]}
            worst = max(costs, key=costs.get)
            print(f"| {nodes} | {cell} | {cells} | {r['wall'] / 3600:.2f} | {100 * r['efficiency']:.1f} % | {r['start']:.0f} | {100 * r['folder_use']:.1f} % | {r['merge']:.1f} | {worst if 100 * costs[worst] / r['wall'] >= 1 else 'none'} |")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
commands = parser.add_subparsers(required=True)
one = commands.add_parser("measure")
one.add_argument("tune"), one.add_argument("clipgen"), one.add_argument("--cells", type=int, default=1000)
one.set_defaults(run=measure)
two = commands.add_parser("simulate")
two.add_argument("measured"), two.add_argument("--operations", type=float, help="operations per second of another folder, such as NFS")
two.set_defaults(run=simulate)
chosen = parser.parse_args()
chosen.run(chosen)
