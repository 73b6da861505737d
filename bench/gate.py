#!/usr/bin/env python3
"""Fails if fast paths have become slow, on any machine, busy or idle.

  bench/gate.py build/bench/vmaf-bench [--limits bench/gate.json] [--filter TEXT] [--measure]

Checks two figures against gate.json, neither in seconds:
  ratios        scalar time / fast time of each metric, alternating in one run, best of many rounds. The limits are 60 % of
                earlier measurements, and a metric below its limit is measured again, longer, up to three times.
  instructions  of one frame per luma pixel on AVX2, counted by callgrind; the limits are 20 % above earlier counts.
Skips instruction sets that the machine lacks, and counts if valgrind is missing. --measure prints new limits instead.
Exit status: 0 within the limits, 1 not, 77 nothing to gate (no vector code).
"""
import argparse, json, pathlib, re, shutil, subprocess, sys, tempfile

RATIO_SIZE, COUNT_SIZE = "480x270", "224x224"
RATIO_SHARE, COUNT_SHARE = 0.6, 1.2
ATTEMPTS = (0.3, 1, 3)  # seconds per metric


def ratios(bench, text, seconds):
    """{metric: {isa: scalar time / its time}}"""
    out = subprocess.run([bench, "--metrics", "--size", RATIO_SIZE, "--seconds", str(seconds), "--filter", text, "--json"],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    table = {}
    for line in json.loads(out):
        if line["isa"] != "scalar": table.setdefault(line["name"], {})[line["isa"]] = line["ratio_to_scalar"]
    return table


def counts(bench, text):
    """{metric: {"avx2": instructions per luma pixel}}, or nothing without valgrind or AVX2."""
    if not shutil.which("valgrind"): return {}
    width, height = map(int, COUNT_SIZE.split("x"))
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/count",
                              bench, "--count", "--size", COUNT_SIZE, "--isa", "avx2", "--filter", text],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            print("no instruction counts:", run.stderr.strip().splitlines()[-1])
            return {}
        for path in pathlib.Path(folder).glob("count.*"):
            dump = path.read_text(errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (\S+) (\S+)$", dump, re.M)
            total = re.search(r"^totals: (\d+)$", dump, re.M)
            if name and total: table.setdefault(name[1], {})[name[2]] = int(total[1]) / (width * height)
    return table


def measure(bench, text):
    """Limits with their margins, for gate.json. Keeps the figures of instruction sets that this machine lacks."""
    scaled = lambda table, share: {m: {i: float(f"{v * share:.3g}") for i, v in row.items()} for m, row in table.items()}
    return {"ratios": scaled(ratios(bench, text, 2), RATIO_SHARE), "instructions": scaled(counts(bench, text), COUNT_SHARE)}


def gate_ratios(bench, text, limits):
    short, checked = {}, set()
    got = ratios(bench, text, ATTEMPTS[0])
    for metric, row in got.items():
        for attempt in range(len(ATTEMPTS)):
            if attempt:
                again = ratios(bench, metric, ATTEMPTS[attempt]).get(metric, {})
                row = {isa: max(value, again.get(isa, 0)) for isa, value in row.items()}
            below = {isa: value for isa, value in row.items() if value < limits.get(metric, {}).get(isa, 0)}
            if not below: break
        checked |= {(metric, isa) for isa in row if isa in limits.get(metric, {})}
        for isa, value in below.items():
            short[metric, isa] = f"{metric} on {isa}: {value:.2f} times as fast as scalar code; required: {limits[metric][isa]}"
    return list(short.values()), len(checked)


def gate_counts(bench, text, limits):
    found, checked = [], 0
    for metric, row in counts(bench, text).items():
        for isa, value in row.items():
            if isa not in limits.get(metric, {}): continue
            checked += 1
            if value > limits[metric][isa]:
                found.append(f"{metric} on {isa}: {value:.1f} instructions per pixel; limit: {limits[metric][isa]}")
    return found, checked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--limits", type=pathlib.Path, default=pathlib.Path(__file__).with_name("gate.json"))
    parser.add_argument("--filter", default="", help="only metrics whose names contain this")
    parser.add_argument("--measure", action="store_true", help="print limits measured on this machine")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.bench, options.filter), indent=1))
        return 0
    limits = json.loads(options.limits.read_text())
    slow, ratio_count = gate_ratios(options.bench, options.filter, limits["ratios"])
    heavy, count_count = gate_counts(options.bench, options.filter, limits["instructions"])
    for line in slow + heavy: print(line)
    print(f"{ratio_count} ratios, {count_count} instruction counts; {len(slow + heavy)} outside the limits")
    if not ratio_count + count_count: return 77
    return 1 if slow + heavy else 0


if __name__ == "__main__":
    sys.exit(main())
