#!/usr/bin/env python3
"""How good the quick answers of vmaf-tune are: `fast`, `predict` and `predict --from-corpus` against the full search, on short clips.

  tune_accuracy.py VMAF_TUNE [--clipgen CLIPGEN] [--natural FOLDER] [--work FOLDER] [--encoder NAME] [--preset NAME] [--targets 95,90,80] [--calibration FILE]

Clips are cut from the videos of FOLDER and made by FFmpeg's generators and clipgen (tune_clips.py): a set from which intervals come, and a set on which
everything is counted. `search` on the whole clip is the truth. For each way: how often its quality value gives the whole clip the target to within
0.5 below and 1 above (hit), and to within 1.5 either way (near: the tolerance that fast and predict have by default); how far the score is
off; how many bits that costs or saves against the search; and what it encoded, in frames, against the search. Coverage is how often the stated interval held
what was measured, on clips that it was not made from. --calibration writes the residuals of `predict` as a file for --calibration-sidecar.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tune_clips  # noqa: E402

HIT_BELOW, HIT_ABOVE, NEAR = 0.5, 1, 1.5  # points of VMAF
FRAMES = 48


def quantile(residuals, alpha):
    values = sorted(map(abs, residuals))
    n = len(values)
    place = min(1, math.ceil((n + 1) * (1 - alpha)) / n) * (n - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, n - 1)] - values[low])


class Bench:
    def __init__(self, options):
        self.options = options
        self.common = ["-e", options.encoder, "--preset", options.preset, "--score-scale", "none", "-q"]
        shutil.rmtree(options.work / "caches", ignore_errors=True)

    def tune(self, command, *arguments):
        # No command may use another's cached results.
        cache = [] if "--from-corpus" in arguments else ["--cache-dir", str(self.options.work / "caches" / (command if command in ("fast", "predict") else "whole"))]
        run = subprocess.run([self.options.tune, command, *map(str, arguments), *cache], capture_output=True, text=True, stdin=subprocess.DEVNULL)
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


class Findings:
    """What each command found: (clip, target, score, kbps, search's kbps, cost, search's cost); and intervals: (clip, half-width, residual)."""

    def __init__(self):
        self.answers, self.residuals, self.bars, self.rows = {}, [], [], []

    def add(self, way, *answer):
        self.answers.setdefault(way, []).append(answer)


def report(name, results):
    errors = [score - target for _, target, score, *_ in results]
    bits = [100 * (kbps / true - 1) for *_, kbps, true, _, _ in results]
    cost = sum(r[5] for r in results) / max(1e-9, sum(r[6] for r in results))
    hits, near = sum(-HIT_BELOW <= e <= HIT_ABOVE for e in errors), sum(abs(e) <= NEAR for e in errors)
    print(f"| {name} | {hits} of {len(results)} | {near} of {len(results)} | {statistics.median(map(abs, errors)):.2f} | {max(map(abs, errors)):.2f} | "
          f"{statistics.mean(bits):+.1f} % | {100 * cost:.0f} % |")


def look_at(bench, clips, targets, rows=None):
    found = Findings()
    for target in targets:
        titles = {}
        if rows:
            titles = {t["src"]: t for t in json.loads(bench.tune("predict", "--from-corpus", rows, "--target-vmaf", target, "--with-uncertainty", "--alpha", bench.options.alpha))["titles"]}
        for name, clip in clips.items():
            truth = bench.search(clip, target)
            if truth["status"] != "ok" or truth["at_bound"]:
                continue  # no encode just meets the target
            true_kbps, search_cost = truth["bitrate_kbps"], FRAMES * len(truth["probes"])
            answer = bench.fast(clip, target)
            piece = FRAMES if answer["proxy_clip"] == "full" else 20
            first = answer["verifications"][0]
            found.add("`fast`, from the piece alone", name, target, first["verify_vmaf"], first["verify_kbps"], true_kbps, piece * answer["n_trials"], search_cost)
            found.add("`fast`", name, target, answer["verify_vmaf"], answer["verify_kbps"], true_kbps, piece * answer["n_trials"] + FRAMES * len(answer["verifications"]), search_cost)
            found.bars.append((name, first["error_bar"], first["verify_vmaf"] - first["predicted_vmaf"]))
            answer = bench.predict(clip, target)
            first = answer["residuals"][0]
            kbps = bench.whole(clip, first["crf"])[1]
            found.add("`predict`, from its probes", name, target, first["measured_vmaf"], kbps, true_kbps, FRAMES * answer["n_probes"], search_cost)
            found.residuals.append((name, 0, first["residual"]))
            found.add("`predict`, after one validation", name, target, *bench.whole(clip, answer["shots"][0]["crf"]), true_kbps, FRAMES * (answer["n_probes"] + 1), search_cost)
            title = titles.get(str(clip))
            if title and title["crf"] is not None:
                score, kbps = bench.whole(clip, title["crf"])
                found.add("`predict --from-corpus`", name, target, score, kbps, true_kbps, 0, search_cost)
                found.rows.append((name, title["interval"]["high"] - title["predicted_vmaf"], score - title["predicted_vmaf"]))
    return found


def coverage(what, intervals):
    if intervals:
        held = sum(abs(residual) <= width for _, width, residual in intervals)
        print(f"{what}: {held} of {len(intervals)} within, mean half-width {statistics.mean(w for _, w, _ in intervals):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=os.path.abspath)
    parser.add_argument("--clipgen", type=os.path.abspath)
    parser.add_argument("--natural", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--encoder", default="libx264")
    parser.add_argument("--preset", default="veryfast")
    parser.add_argument("--targets", default="95,88,80")
    parser.add_argument("--grid", default="16:40:6")
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--sets", default="fit,held out", help="the sets of clips to use")
    parser.add_argument("--no-rows", action="store_true", help="skip predict --from-corpus")
    parser.add_argument("--calibration")
    options = parser.parse_args()
    scratch = None
    if not options.work:
        scratch = tempfile.TemporaryDirectory(prefix="tune-accuracy-")
        options.work = pathlib.Path(scratch.name)
    clips = {which: tune_clips.make_clips(options.work / "clips", options.natural, options.clipgen, which, FRAMES) for which in options.sets.split(",")}
    bench = Bench(options)
    targets = [float(t) for t in options.targets.split(",")]
    looked = {which: look_at(bench, clips[which], targets, None if options.no_rows or which == "fit" else bench.corpus(clips[which])) for which in clips}
    for which, found in looked.items():
        print(f"\n{options.encoder} {options.preset}, {len(clips[which])} clips ({which}) of {tune_clips.SIZE}, {FRAMES} frames; targets {options.targets}\n")
        print("| | hits | near | median error | worst | bits against the search | cost |\n| --- | --- | --- | --- | --- | --- | --- |")
        for name, results in found.answers.items():
            report(name, results)
        print()
        coverage("fast, error bar of the piece", found.bars)
    residuals = [(name, r) for found in looked.values() for name, _, r in found.residuals]
    wish = f"(wish {100 * (1 - options.alpha):.0f} %)"
    if "fit" in looked and "held out" in looked:
        width = quantile([r for *_, r in looked["fit"].residuals], options.alpha)
        coverage(f"predict, interval from the first set {wish}", [(name, width, r) for name, _, r in looked["held out"].residuals])
    coverage(f"predict, each clip's interval from all others {wish}",
             [(name, quantile([x for other, x in residuals if other != name], options.alpha), r) for name, r in residuals])
    for found in looked.values():
        coverage("predict --from-corpus", found.rows)
    print("residuals of predict:", " ".join(f"{name}:{r:+.2f}" for name, r in residuals))
    print("gaps of fast:", " ".join(f"{name}:{r:+.2f}({w:.2f})" for found in looked.values() for name, w, r in found.bars))
    if options.calibration:
        values = [round(r, 3) for _, r in residuals]
        with open(options.calibration, "w") as file:
            json.dump({"method": "split-conformal", "alpha": options.alpha, "n": len(values), "residuals": values}, file)


if __name__ == "__main__":
    main()
