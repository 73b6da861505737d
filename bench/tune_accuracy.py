#!/usr/bin/env python3
"""How good the quick answers of vmaf-tune are: `fast`, `predict` and `predict --from-corpus` against the full search, on short clips.

  tune_accuracy.py VMAF_TUNE [--natural FOLDER] [--work FOLDER] [--encoder NAME] [--preset NAME] [--targets 95,90,80] [--calibration FILE]

Clips are cut from the videos of FOLDER and made by FFmpeg's generators; `search` on the whole clip is the truth. For each way: how often its
quality value meets the target on the whole clip within half a point (hit), how far the score is off, how many bits that costs or saves against
the search, and what it encoded and scored, in frames, against the search. Intervals are checked on clips that they were not made from: each
clip's half-width is the quantile of the other clips' residuals. --calibration writes all residuals of `predict` as a file for
--calibration-sidecar.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tune_clips  # noqa: E402

HIT = 0.5  # points of VMAF


def quantile(residuals, alpha):
    values = sorted(map(abs, residuals))
    n = len(values)
    place = min(1, math.ceil((n + 1) * (1 - alpha)) / n) * (n - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, n - 1)] - values[low])


class Bench:
    def __init__(self, options):
        self.options = options
        self.cache = options.work / "cache"
        self.common = ["-e", options.encoder, "--preset", options.preset, "--score-scale", "none", "--cache-dir", str(self.cache), "-q"]

    def tune(self, command, *arguments):
        run = subprocess.run([self.options.tune, command, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if run.returncode not in (0, 1, 3):
            sys.exit(f"{command} {' '.join(map(str, arguments))} failed:\n{run.stderr}")
        return run.stdout

    def whole(self, clip, q):
        row = json.loads(self.tune("sample", "-i", clip, "--crf", q, *self.common, "--json"))
        return row["score"], row["bitrate_kbps"]

    def search(self, clip, target):
        return json.loads(self.tune("search", "-i", clip, "--target-vmaf", target, *self.common, "--json").splitlines()[-1])

    def fast(self, clip, target):
        return json.loads(self.tune("fast", "-i", clip, "--target-vmaf", target, "--sample-chunk-seconds", "0.8", "--proxy-tolerance", "100", *self.common))

    def predict(self, clip, target):
        return json.loads(self.tune("predict", "-i", clip, "--target-vmaf", target, "--validate-k", "1", "--residual-threshold", "100", *self.common))

    def corpus(self, clips):
        rows = self.options.work / "rows.jsonl"
        sources = [word for clip in clips.values() for word in ("-i", str(clip))]
        self.tune("corpus", *sources, "--crf-range", self.options.grid, *self.common, "-o", rows, "-y")
        return rows


def report(name, results):
    """results: (clip, target, score, kbps, search's kbps, cost, search's cost)"""
    if not results:
        return
    errors = [score - target for _, target, score, *_ in results]
    bits = [100 * (kbps / true - 1) for *_, kbps, true, _, _ in results]
    cost = sum(r[5] for r in results) / max(1e-9, sum(r[6] for r in results))
    hits = sum(-HIT <= e <= 2 * HIT for e in errors)
    print(f"{name:24} {hits:3}/{len(results):<3} {100 * hits / len(results):5.0f} %   {statistics.median(map(abs, errors)):6.2f} {max(map(abs, errors)):7.2f}"
          f"   {statistics.mean(bits):+7.1f} %   {100 * cost:6.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=os.path.abspath)
    parser.add_argument("--natural", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--encoder", default="libx264")
    parser.add_argument("--preset", default="veryfast")
    parser.add_argument("--targets", default="95,88,80")
    parser.add_argument("--grid", default="16:40:6")
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--calibration")
    options = parser.parse_args()
    scratch = None
    if not options.work:
        scratch = tempfile.TemporaryDirectory(prefix="tune-accuracy-")
        options.work = pathlib.Path(scratch.name)
    clips = tune_clips.make_clips(options.work / "clips", options.natural)
    bench = Bench(options)
    targets = [float(t) for t in options.targets.split(",")]
    rows = bench.corpus(clips)
    frames = 48
    found = {"fast": [], "fast (refined)": [], "predict (one probe)": [], "predict (validated)": [], "predict --from-corpus": []}
    residuals, covered, bars = [], [], []
    for target in targets:
        titles = {t["src"]: t for t in json.loads(bench.tune("predict", "--from-corpus", rows, "--target-vmaf", target, "--with-uncertainty", "--alpha", options.alpha))["titles"]}
        for name, clip in clips.items():
            truth = bench.search(clip, target)
            if truth["status"] != "ok" or truth["at_bound"]:
                continue  # no encode just meets it
            true_kbps, search_cost = truth["bitrate_kbps"], frames * len(truth["probes"])
            answer = bench.fast(clip, target)
            proxy = frames if answer["proxy_clip"] == "full" else 20
            found["fast"].append((name, target, answer["verify_vmaf"], answer["verify_kbps"], true_kbps, proxy * answer["n_trials"] + frames, search_cost))
            bars.append((answer["error_bar"], answer["proxy_verify_gap"]))
            found["fast (refined)"].append((name, target, *bench.whole(clip, answer["refined_crf"]), true_kbps, proxy * answer["n_trials"] + frames, search_cost))
            answer = bench.predict(clip, target)
            first = answer["residuals"][0]
            kbps = bench.whole(clip, first["crf"])[1]
            found["predict (one probe)"].append((name, target, first["measured_vmaf"], kbps, true_kbps, frames, search_cost))
            residuals.append((name, first["residual"]))
            corrected = answer["shots"][0]["crf"]
            found["predict (validated)"].append((name, target, *bench.whole(clip, corrected), true_kbps, 2 * frames, search_cost))
            title = titles.get(str(clip))
            if title and title["crf"] is not None:
                score, kbps = bench.whole(clip, title["crf"])
                found["predict --from-corpus"].append((name, target, score, kbps, true_kbps, 0, search_cost))
                covered.append((title["interval"]["low"] <= score <= title["interval"]["high"], title["interval"]["high"] - title["predicted_vmaf"]))
    print(f"{options.encoder} {options.preset}, {len(clips)} clips of {tune_clips.SIZE}, {frames} frames; targets {options.targets}")
    print(f"{'':24} {'hits':>7}           median   worst       bits      cost")
    for name, results in found.items():
        report(name, results)
    inside = sum(gap <= bar for bar, gap in bars)
    print(f"fast: the whole was within the error bar in {inside} of {len(bars)} cases (mean bar {statistics.mean(b for b, _ in bars):.2f})")
    held_out = [abs(r) <= quantile([x for other, x in residuals if other != name], options.alpha) for name, r in residuals]
    print(f"predict: intervals from other clips held {sum(held_out)} of {len(held_out)} (wish {100 * (1 - options.alpha):.0f} %), half-width "
          f"{quantile([r for _, r in residuals], options.alpha):.2f}")
    print(f"predict --from-corpus: intervals held {sum(c for c, _ in covered)} of {len(covered)}, mean half-width {statistics.mean(w for _, w in covered):.2f}")
    if options.calibration:
        values = [round(r, 3) for _, r in residuals]
        with open(options.calibration, "w") as file:
            json.dump({"method": "split-conformal", "alpha": options.alpha, "n": len(values), "residuals": values}, file)


if __name__ == "__main__":
    main()
