#!/usr/bin/env python3
"""Compares the speed of our `vmaf` with another `vmaf` binary, such as libvmaf's, in one run on this machine.

  bench/compare.py --other /usr/bin/vmaf [--ours build/tools/vmaf] [--svg plot.svg] [--json figures.json]

Generates clips (clipgen, a textured scene and the same with coarse transform coefficients). For every metric and model that both programs support,
they alternate, round after round; each runs over few and over many frames, and the difference is the cost of a frame, without start-up, the
model and the first frames. With one thread it measures processor time, otherwise (or with --wall) wall time. The table has the best round of each,
their ratio, the range of the ratios of single rounds, and the largest difference of any score. Standard output is Markdown; the weakest and the
best ratio follow the table.
Exit status: 0; 1 if a program fails where it did not before; 2 for wrong arguments, or if there is nothing that both know.
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from cpu_check import processor
from report import bars, grid, number

MODELS = ["vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"]
METRICS = ["vif", "adm", "motion", "motion_v2", "psnr", "psnr_hvs", "ssim", "float_ssim", "float_ms_ssim", "ciede", "cambi", "ssimulacra2",
           "speed_chroma", "speed_temporal", "float_psnr", "float_ansnr", "float_moment", "float_motion", "float_vif", "float_adm"]
COLOURS = {"other": "#d93025", "ours": "#188038"}


class Program:
    """One of the two binaries."""

    def __init__(self, name, path, options, clips):
        self.name, self.path, self.options, self.clips = name, path, options, clips

    def command(self, case, frames, report):
        width, height = self.options.size
        asked = ["--model", f"version={case}"] if case in MODELS else ["--no_prediction", "--feature", case]
        more = ["--cpumask", str(self.options.cpumask)] if self.options.cpumask else []
        return [self.path, "--reference", self.clips[0], "--distorted", self.clips[1], "--width", str(width), "--height", str(height),
                "--pixel_format", "420", "--bitdepth", str(self.options.bits), "--threads", str(self.options.threads),
                "--frame_cnt", str(frames), "--quiet", "--json", "--output", report, *more, *asked]

    def run(self, case, frames):
        """Seconds and scores, or, after a failure, its last line of output."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "scores.json")
            with tempfile.TemporaryFile() as said:
                start = time.monotonic()
                child = subprocess.Popen(self.command(case, frames, report), stdout=subprocess.DEVNULL, stderr=said)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = status
                seconds = time.monotonic() - start if self.options.wall else usage.ru_utime + usage.ru_stime
                if status or not os.path.exists(report):
                    said.seek(0)
                    lines = said.read().decode(errors="replace").strip().splitlines()
                    return None, lines[-1] if lines else f"exit status {os.waitstatus_to_exitcode(status)}"
            return seconds, scores(report)


def scores(path):
    """{(frame, name): value}; programs may use different name prefixes."""
    try: frames = json.load(open(path))["frames"]
    except (ValueError, KeyError): return {}
    return {(f["frameNum"], name): value for f in frames for name, value in f["metrics"].items() if isinstance(value, (int, float))}


def largest_difference(a, b):
    common = a.keys() & b.keys()
    return max((abs(a[k] - b[k]) for k in common), default=None)


def make_clips(clipgen, options, folder):
    width, height = options.size
    shape = [clipgen, "--size", f"{width}x{height}", "--frames", str(options.frames), "--depth", str(options.bits), "--seed", "9"]
    clips = [os.path.join(folder, "ref.yuv"), os.path.join(folder, "dist.yuv")]
    subprocess.run([*shape, clips[0]], check=True)
    subprocess.run([*shape, "--distort", "dct:80", clips[1]], check=True)
    return clips


def compare(case, programs, options):
    """A row of the table, or which program does not support the case, and why."""
    few = min(2, options.frames - 1)
    per_pixel = 1e9 / ((options.frames - few) * options.size[0] * options.size[1])
    found = []
    for program in programs:
        seconds, said = program.run(case, few)
        if seconds is None: return f"{program.name}: {said}"
        found.append(said)
    short, long = {p.name: [] for p in programs}, {p.name: [] for p in programs}
    for _ in range(options.rounds):
        for program in programs:
            for frames, times in ((few, short), (options.frames, long)):
                seconds, said = program.run(case, frames)
                if seconds is None: sys.exit(f"compare.py: {program.path} failed with {case}: {said}")
                times[program.name].append(seconds)
    # Start-up costs the same in every round: use the smallest measurement.
    rounds = {name: [(seconds - min(short[name])) * per_pixel for seconds in long[name]] for name in long}
    if min(map(min, rounds.values())) <= 0: return "too fast to measure; use more frames or a larger size"
    ratios = [other / ours for other, ours in zip(rounds["other"], rounds["ours"])]
    return {"case": case, "other": min(rounds["other"]), "ours": min(rounds["ours"]), "ratio": min(rounds["other"]) / min(rounds["ours"]),
            "least_ratio": min(ratios), "largest_ratio": max(ratios), "rounds": rounds, "largest_difference": largest_difference(*found)}


def markdown(rows, left_out, heading):
    def difference(row):
        value = row["largest_difference"]
        return "" if value is None else "0" if value == 0 else f"{value:.1e}"

    table = [[f"`{r['case']}`", number(r["other"]), number(r["ours"]), f"{r['ratio']:.2f}",
              f"{r['least_ratio']:.2f} to {r['largest_ratio']:.2f}", difference(r)] for r in rows]
    weakest, best = min(rows, key=lambda r: r["ratio"]), max(rows, key=lambda r: r["ratio"])
    text = [heading, "", grid(["", "other, ns/pixel", "ours, ns/pixel", "ratio", "of single rounds", "scores differ by"], table), "",
            f"Weakest ratio: {weakest['ratio']:.2f} (`{weakest['case']}`). Best: {best['ratio']:.2f} (`{best['case']}`)."]
    return "\n".join(text + [f"Skipped: `{case}` ({why})." for case, why in left_out])


def size_of(text):
    width, _, height = text.partition("x")
    return int(width), int(height)


def version(path):
    run = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return (run.stdout.strip().splitlines() or ["unknown"])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = pathlib.Path(__file__).parent.parent / "build" / "tools"
    parser.add_argument("--other", required=True, help="the other vmaf program")
    parser.add_argument("--ours", default=str(build / "vmaf"), help="default: build/tools/vmaf")
    parser.add_argument("--clipgen", help="default: next to ours")
    parser.add_argument("--metrics", help="comma-separated metrics and models; default: all known ones")
    parser.add_argument("--size", type=size_of, default=(1920, 1080), help="default 1920x1080")
    parser.add_argument("--bits", type=int, default=8)
    parser.add_argument("--frames", type=int, default=26, help="frames per clip, at least 2 (default: 26)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cpumask", type=int, default=0, help="for both; 48 disables AVX-512 in ours")
    parser.add_argument("--wall", action="store_true", help="measure wall time (always with several threads)")
    parser.add_argument("--svg", help="write a plot to this file")
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    if options.frames < 2 or options.rounds < 1: parser.error("use at least two frames and one round")
    options.wall = options.wall or options.threads > 1
    for path in (options.other, options.ours):
        if not os.access(path, os.X_OK) or os.path.isdir(path): parser.error(f"{path} is not a program")
    cases = options.metrics.split(",") if options.metrics else MODELS + METRICS
    rows, left_out = [], []
    with tempfile.TemporaryDirectory() as folder:
        clips = make_clips(options.clipgen or str(pathlib.Path(options.ours).with_name("clipgen")), options, folder)
        programs = [Program("other", os.path.abspath(options.other), options, clips), Program("ours", os.path.abspath(options.ours), options, clips)]
        for case in cases:
            print(f"{case} ...", file=sys.stderr, flush=True)
            row = compare(case, programs, options)
            rows.append(row) if isinstance(row, dict) else left_out.append((case, row))
    if not rows:
        for case, why in left_out: print(f"{case}: {why}", file=sys.stderr)
        print("compare.py: no metric that both programs support", file=sys.stderr)
        return 2
    time_of = "wall time" if options.wall else "processor time"
    heading = (f"{processor()}, {os.cpu_count()} processors; {options.size[0]}x{options.size[1]}, {options.bits} bit, {options.threads} thread(s), {time_of} of "
               f"{options.frames} frames minus that of {min(2, options.frames - 1)}, best of {options.rounds} alternating rounds. "
               f"Other: {version(options.other)}; ours: {version(options.ours)}.")
    print(markdown(rows, left_out, heading))
    if options.json: pathlib.Path(options.json).write_text(json.dumps({"heading": heading, "rows": rows, "left_out": left_out}, indent=1) + "\n")
    if options.svg:
        groups = [(r["case"], [("other", r["other"]), ("ours", r["ours"])]) for r in rows]
        pathlib.Path(options.svg).write_text(bars(groups, COLOURS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
