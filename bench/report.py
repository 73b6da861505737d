#!/usr/bin/env python3
"""Turns figures of vmaf-bench into a table and a plot.

  build/bench/vmaf-bench --metrics --json > bench.json
  bench/report.py bench.json [--svg plot.svg]
  bench/report.py cpu_check.json [--svg plot.svg]           output of cpu_check.py, with its calibration and all its tables

The table has a line per metric: ns per luma pixel on every instruction set, and the speed relative to scalar code. To compare with other
programs, use compare.py.
"""
import argparse, json, sys

ISAS = ["scalar", "neon", "avx2", "avx512", "avx512icl"]
SHARED = {"together": "eight encodes of one reference, to eight runs"}
COLOURS = {"scalar": "#9aa0a6", "neon": "#1a73e8", "avx2": "#1a73e8", "avx512": "#188038", "avx512icl": "#e37400"}


def load(paths):
    """{metric: {isa: ns per pixel}}, the best of all files, and the picture format."""
    table, shape = {}, None
    for path in paths:
        data = json.load(open(path))
        for line in data["metrics"] if isinstance(data, dict) else data:
            if "." in line["name"]: continue  # a function, not a metric
            this = (line["width"], line["height"], line["bits"])
            if shape not in (None, this): sys.exit("report.py: the files have different sizes or depths")
            shape = this
            row = table.setdefault(line["name"], {})
            row[line["isa"]] = min(line["ns_per_pixel"], row.get(line["isa"], float("inf")))
    return table, shape


def number(value): return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def grid(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def markdown(table, isas):
    def cell(row, isa):
        if isa not in row: return ""
        ratio = f" ({row['scalar'] / row[isa]:.1f}×)" if isa != "scalar" and "scalar" in row else ""
        return number(row[isa]) + ratio

    rows = [[f"`{name}`"] + [cell(row, i) for i in isas] for name, row in table.items()]
    return grid(["metric"] + isas, rows)


def further(data):
    """Tables of cpu_check.py's measurements, except the metrics at 1080p."""
    base = {(l["name"], l["isa"]): l["ns_per_pixel"] for l in data["metrics"]}
    for key, title in (("ten_bit", "10 bit, ns per pixel and ratio to 8 bit"), ("uhd", "3840×2160, ns per pixel and ratio to 1920×1080")):
        rows = [[f"`{l['name']}`", l["isa"], number(l["ns_per_pixel"]), f"{l['ns_per_pixel'] / base[l['name'], l['isa']]:.2f}"]
                for l in data[key] if (l["name"], l["isa"]) in base]
        yield title, grid(["metric", "path", "ns/pixel", "ratio"], rows)
    lanes = sorted({l["lanes"] for l in data["split"]})
    split = {}
    for l in data["split"]: split.setdefault(f"`{l['name']}`", {})[l["lanes"]] = l["speedup"]
    yield ("One 3840×2160 frame shared by threads, times as fast as one",
           grid(["metric"] + [str(n) for n in lanes], [[name] + [f"{row[n]:.1f}" for n in lanes] for name, row in split.items()]))
    rows = [[{0: "all", 48: "no AVX-512"}.get(l["cpumask"], str(l["cpumask"])), str(l["workers"]), number(l["frames_per_second"]),
             f"{l['speedup']:.2f}", f"{l['memory_mb']:.0f}"] for l in data["workers"]]
    yield "Whole runs of `vmaf`, default model, 1920×1080", grid(["instruction sets", "workers", "frames/s", "to one", "MB"], rows)
    ratios = {}
    for l in data.get("shared", []): ratios.setdefault(SHARED.get(l["what"], f"{l['what']}, to VMAF alone"), []).append(l)
    rows = [[what, *(f"{l['ratio']:.2f}" for l in lines), f"{max(l['memory_mb'] for l in lines):.0f}"] for what, lines in ratios.items()]
    if rows: yield "Processor time of shared work, one thread, 1920×1080", grid(["", "all", "no AVX-512", "MB"], rows)


def svg(table, isas):
    groups = [(name, [(i, row[i]) for i in isas if i in row]) for name, row in table.items()]
    return bars(groups, {label: COLOURS[label] for label in isas})


def bars(groups, colours):
    """[(name, [(label, ns per pixel)])] as bars on a logarithmic axis; shorter is better."""
    import math
    left, right, bar, gap, top = 130, 90, 9, 10, 40
    low = 10 ** math.floor(math.log10(min(v for _, b in groups for _, v in b)))
    high = 10 ** math.ceil(math.log10(max(v for _, b in groups for _, v in b)))
    width = 640
    x = lambda v: left + (width - left - right) * math.log10(v / low) / math.log10(high / low)
    height = top + sum(len(b) * bar + gap for _, b in groups) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    at = left
    for label in colours:
        out.append(f'<rect x="{at}" y="8" width="9" height="9" fill="{colours[label]}"/><text x="{at + 13}" y="16">{label}</text>')
        at += 24 + 6 * len(label)
    tick = low
    while tick <= high * 1.001:
        out.append(f'<line x1="{x(tick):.1f}" y1="{top - 8}" x2="{x(tick):.1f}" y2="{height - 18}" stroke="#dadce0"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{tick:g}</text>')
        tick *= 10
    y = top
    for name, values in groups:
        out.append(f'<text x="{left - 6}" y="{y + len(values) * bar / 2 + 3:.1f}" text-anchor="end">{name}</text>')
        for label, value in values:
            out.append(f'<rect x="{left}" y="{y}" width="{max(1.0, x(value) - left):.1f}" height="{bar - 1}" fill="{colours[label]}"/>'
                       f'<text x="{x(value) + 4:.1f}" y="{y + bar - 2}" font-size="8">{number(value)}</text>')
            y += bar
        y += gap
    out.append(f'<text x="{width - right + 20}" y="{height - 6}">ns/pixel</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="output of vmaf-bench --json; the best figure of all files counts")
    parser.add_argument("--svg", help="write a plot to this file")
    options = parser.parse_args()
    table, shape = load(options.files)
    if not table: sys.exit("report.py: no metrics in these files")
    isas = [i for i in ISAS if any(i in row for row in table.values())]
    checks = [data for data in (json.load(open(path)) for path in options.files) if isinstance(data, dict)]
    for data in checks: print(f"{data['processor']}, {data['cores']} cores, {data.get('version', 'version unknown')}, calibration {data['calibration']:.2f} ns/pixel\n")
    print(f"{shape[0]}×{shape[1]}, {shape[2]} bit, ns per luma pixel, one thread\n")
    print(markdown(table, isas))
    for data in checks:
        for title, text in further(data): print(f"\n{title}\n\n{text}")
    if options.svg: open(options.svg, "w").write(svg(table, isas))


if __name__ == "__main__":
    main()
