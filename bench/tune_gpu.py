#!/usr/bin/env python3
"""What scoring costs vmaf-tune on a GPU, compared with processors.

  tune_gpu.py VMAF_TUNE VMAF (--source VIDEO | --clipgen CLIPGEN) [--seconds 10,60] [--commands corpus,search] [--rounds 3] [--budget 200]

The score stage is the wall time of a command minus that of the same command with a stand-in for the scorer, which returns at once (the
scores of the first run, so that a search takes the same probes; FFmpeg decodes nothing for it either). Each figure is a median; runs are
interleaved. A run that would not fit into the budget is left out, the first of each kind excepted. Rows of both backends must be equal
in every digit. Exit code 1: they are not, or a command failed.

VIDEO, H.264 of a few seconds at least, is repeated by copying packets; without it FFmpeg encodes a generated clip. Programs are found in
PATH, libraries in LD_LIBRARY_PATH.
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

QUALITIES = [*range(18, 42, 2)]
RATIO = 0.1  # of the score stages that is wanted
# What may differ between runs and between backends.
OWN = {"run_id", "timestamp", "encode_time_ms", "score_time_ms", "encode_fps", "score_fps", "fps", "decoded_by", "from_cache", "argv", "host", "warnings", "score_backend",
       "score_key", "vmaf_binary_version"}


# The stand-in, a program of its own.

def exactly(stream, count):
    data = b""
    while len(data) < count:
        part = stream.recv(count - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def stand_in(words):
    if "--capabilities" in words:
        print(json.dumps({"implementation": "stand-in", "backends": ["cuda", "cpu"], "details": {"cuda": {"usable": True}}}))
        return
    known = {int(size): (score, frames) for size, (score, frames) in json.loads(pathlib.Path(os.environ["TUNE_GPU_SCORES"]).read_text()).items()}
    client = socket.socket(fileno=0)

    def send(message):
        data = json.dumps(message).encode()
        client.sendall(struct.pack("<I", len(data)) + data)

    send({"type": "hello", "protocol": 1, "version": "stand-in", "build": ""})
    while True:
        request = json.loads(exactly(client, struct.unpack("<I", exactly(client, 4))[0]))
        arguments = request.get("arguments", [])
        option = lambda name: arguments[arguments.index(name) + 1]
        if "--distorted" in arguments and option("--distorted") != option("--reference"):
            size = os.path.getsize(option("--distorted"))
            score, frames = known[min(known, key=lambda other: abs(other - size))]
            with open(option("--output"), "w") as document:
                json.dump({"version": "stand-in", "backend_used": "cuda", "feature_backends": [{"extractor": "none", "backend": "cuda"}],
                           "frames": [{"frameNum": i, "metrics": {"vmaf": score}} for i in range(frames)]}, document)
        send({"type": "result", "id": request["id"], "exit_code": 0})


# The measurement.

class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.begin = time.monotonic()
        self.walls = {}  # (seconds, command, leg): wall times
        self.rows = {}  # (seconds, command, leg): rows of the first run
        self.failed = []
        self.ffmpeg = shutil.which("ffmpeg") or sys.exit("there is no ffmpeg in PATH")
        self.scores = folder / "scores.json"
        own = f"exec {sys.executable} {os.path.abspath(__file__)} stand-in \"$@\""
        self.stand_in = self.program("stand-in", own)
        self.no_decoder = self.program("ffmpeg", f'case "$*" in *"passthrough -f null -"*) exit 0;; esac\nexec {self.ffmpeg} "$@"')

    def program(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return path

    def call(self, *words):
        subprocess.run([self.ffmpeg, "-hide_banner", "-nostdin", "-v", "error", "-y", *map(str, words)], check=True)

    def clip(self, seconds):
        path = self.folder / f"source_{seconds}.mp4"
        if path.exists():
            return path
        part = self.options.source
        if not part:
            part, raw = self.folder / "part.mp4", self.folder / "part.y4m"
            if not part.exists():
                subprocess.run([self.options.clipgen, "--size", self.options.size, "--frames", "48", "--scene", "street", raw], check=True)
                self.call("-i", raw, "-c:v", "libx264", "-preset", "fast", "-g", 48, "-keyint_min", 48, "-sc_threshold", 0, "-crf", 16, part)
        rate = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=r_frame_rate", "-of", "csv=p=0", part],
                              capture_output=True, text=True, check=True).stdout
        numerator, denominator = map(int, rate.strip().strip(",").split("/"))
        self.call("-stream_loop", 1000, "-i", part, "-map", "0:v:0", "-frames:v", round(seconds * numerator / denominator), "-c", "copy", path)
        return path

    def command(self, seconds, command, leg, out):
        words = [self.options.tune, command, "-i", self.clip(seconds), "-e", "libx264", "--preset", "ultrafast", "--score-scale", "none", "--no-cache", "-y", "-o", out,
                 "--score-backend", "cpu" if leg == "cpu" else "cuda", "--vmaf-bin", self.stand_in if leg == "encodes" else self.options.vmaf]
        if leg == "encodes": words += ["--ffmpeg-bin", self.no_decoder]
        if command == "corpus": words += [word for q in QUALITIES for word in ("--crf", q)]
        else: words += ["--target-vmaf", self.options.target, "--q-step", "1", "--json"]
        return list(map(str, words))

    def left(self):
        return self.options.budget - (time.monotonic() - self.begin)

    def measure(self, seconds, command, leg):
        key = (seconds, command, leg)
        out = self.folder / "rows.jsonl"
        words = self.command(seconds, command, leg, out)
        begin = time.monotonic()
        run = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, "TUNE_GPU_SCORES": str(self.scores)})
        wall = time.monotonic() - begin
        if run.returncode not in (0, 1):  # 1: a target that cannot be met
            self.failed.append(f"{leg}, {command} of {seconds} s ended with {run.returncode}: {run.stderr.strip()[-600:]}")
            print("FAILED:", self.failed[-1], flush=True)
            return
        self.walls.setdefault(key, []).append(wall)
        rows = sorted((json.loads(line, parse_float=str) for line in out.read_text().splitlines()), key=lambda row: float(row["crf"]))
        self.rows.setdefault(key, rows)
        print(f"{command}, {seconds} s, {leg}: {wall:.2f} s, {len(rows)} rows, scores {sum(float(row['score_time_ms']) for row in rows) / 1000:.2f} s, decoded by "
              f"{' '.join(sorted({'/'.join(sorted(set(row['decoded_by'].values()))) for row in rows}))}", flush=True)
        for sentence in sorted({warning for row in rows for warning in row["warnings"]}): print("  warning:", sentence)

    def write_scores(self, seconds, command):
        """For the stand-in, by the size of the encode."""
        rows = self.rows.get((seconds, command, "cuda"), [])
        self.scores.write_text(json.dumps({row["encode_file_bytes"]: (float(row["score"]), row["scored_frames"]) for row in rows}))
        return bool(rows)

    def run(self):
        kinds = [(seconds, command) for seconds in self.options.seconds for command in self.options.commands]
        for number in range(self.options.rounds):
            for seconds, command in kinds:
                for leg in ("cuda", "encodes", "cpu"):
                    before = self.walls.get((seconds, command, leg))
                    if number and not (before and self.left() > max(before)):
                        continue
                    if leg == "encodes" and not self.write_scores(seconds, command):
                        continue
                    self.measure(seconds, command, leg)
        for seconds, command in kinds:
            self.report(seconds, command)
        if self.failed: print(f"{len(self.failed)} FAILED")
        return 1 if self.failed else 0

    def report(self, seconds, command):
        legs = {leg: self.walls.get((seconds, command, leg)) for leg in ("encodes", "cuda", "cpu")}
        if not all(legs.values()):
            return
        medians = {leg: statistics.median(walls) for leg, walls in legs.items()}
        stages = {leg: medians[leg] - medians["encodes"] for leg in ("cuda", "cpu")}
        ratio = stages["cuda"] / stages["cpu"] if stages["cpu"] > 0 else float("nan")
        print(f"\n{command}, {seconds} s: wall " + ", ".join(f"{leg} {medians[leg]:.2f} s ({' '.join(f'{wall:.2f}' for wall in legs[leg])})" for leg in legs))
        print(f"  score stage: cuda {stages['cuda']:.2f} s, cpu {stages['cpu']:.2f} s, ratio {ratio:.3f}" + ("" if ratio <= RATIO else f", more than {RATIO}"))
        strip = lambda row: {key: value for key, value in row.items() if key not in OWN}
        there, here = ([strip(row) for row in self.rows[seconds, command, leg]] for leg in ("cuda", "cpu"))
        if there == here:
            print(f"  {len(here)} rows equal in every digit")
            return
        different = {key for one, other in zip(there, here) for key in {*one, *other} if one.get(key) != other.get(key)}
        self.failed.append(f"rows of {command}, {seconds} s differ")
        print(f"  rows DIFFER: {len(there)} and {len(here)}, in {', '.join(sorted(different)) or 'number'}")


def main():
    if sys.argv[1:2] == ["stand-in"]:
        stand_in(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=os.path.abspath)
    parser.add_argument("vmaf", type=os.path.abspath)
    parser.add_argument("--source", type=os.path.abspath)
    parser.add_argument("--clipgen", type=os.path.abspath)
    parser.add_argument("--size", default="1920x1080", help="of the generated clip")
    parser.add_argument("--seconds", type=lambda text: [int(word) for word in text.split(",")], default=[10, 60])
    parser.add_argument("--commands", type=lambda text: text.split(","), default=["corpus", "search"])
    parser.add_argument("--target", default="93", help="of search")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=200, help="seconds after which no further run is begun")
    options = parser.parse_args()
    if not options.source and not options.clipgen: parser.error("give --source or --clipgen")
    with tempfile.TemporaryDirectory(prefix="tune-gpu-") as folder:
        return Bench(options, pathlib.Path(folder)).run()


if __name__ == "__main__":
    sys.exit(main())
