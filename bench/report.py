#!/usr/bin/env python3
"""Turn figures of vmaf-bench into a table and a plot.

  build/bench/vmaf-bench --metrics --json > bench.json
  bench/report.py bench.json [--calib NS] [--svg plot.svg]

The table has a line for each metric: ns per luma pixel on every instruction set, how many times faster than scalar code the
best one is, and how many times faster than libvmaf 3.2.0 with AVX-512 on an Ice Lake core (ANCHORS). --calib scales those anchors
to this machine: the reading of a fixed piece of scalar work, in ns per pixel, which was 11.2 where the anchors were taken.
"""
import argparse, json, sys

ANCHOR_CALIB = 11.2
# libvmaf 3.2.0, release build with AVX-512, one thread, 1920x1080 8-bit 4:2:0, ns per luma pixel; best of what was seen.
ANCHORS = {"vmaf": 33.5, "vif": 22.5, "adm": 6.3, "motion": 1.0, "psnr": 0.8, "float_ssim": 15.7, "float_ms_ssim": 242,
           "psnr_hvs": 31, "ciede": 633, "cambi": 21, "speed_chroma": 5.8, "speed_temporal": 11, "float_vif": 96,
           "float_adm": 40, "ssimulacra2": 210}
ISAS = ["scalar", "neon", "avx2", "avx512", "avx512icl"]
COLOURS = {"scalar": "#9aa0a6", "neon": "#1a73e8", "avx2": "#1a73e8", "avx512": "#188038", "avx512icl": "#e37400",
           "libvmaf 3.2.0": "#d93025"}


def load(paths):
    """{metric: {isa: ns per pixel}}, best of all files, and the shape they were taken at."""
    table, shape = {}, None
    for path in paths:
        for line in json.load(open(path)):
            if "." in line["name"]: continue  # a function, not a metric
            this = (line["width"], line["height"], line["bits"])
            if shape not in (None, this): sys.exit("report.py: the files were taken at different sizes or depths")
            shape = this
            row = table.setdefault(line["name"], {})
            row[line["isa"]] = min(line["ns_per_pixel"], row.get(line["isa"], float("inf")))
    return table, shape


def number(value): return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def markdown(table, isas, scale):
    head = ["metric"] + isas + ["to scalar", "to libvmaf 3.2.0"]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for name, row in table.items():
        best = min(row.values())
        to_scalar = f"{row['scalar'] / best:.1f}×" if "scalar" in row else ""
        to_anchor = f"{ANCHORS[name] * scale / best:.1f}×" if name in ANCHORS else ""
        lines.append("| " + " | ".join([f"`{name}`"] + [number(row[i]) if i in row else "" for i in isas] + [to_scalar, to_anchor]) + " |")
    return "\n".join(lines)


def svg(table, isas, scale):
    """Bars on a logarithmic axis, shortest is best."""
    import math
    left, right, bar, gap, top = 130, 90, 9, 10, 40
    groups = []
    for name, row in table.items():
        bars = [(i, row[i]) for i in isas if i in row]
        if name in ANCHORS: bars.append(("libvmaf 3.2.0", ANCHORS[name] * scale))
        groups.append((name, bars))
    low = 10 ** math.floor(math.log10(min(v for _, b in groups for _, v in b)))
    high = 10 ** math.ceil(math.log10(max(v for _, b in groups for _, v in b)))
    width = 640
    x = lambda v: left + (width - left - right) * math.log10(v / low) / math.log10(high / low)
    height = top + sum(len(b) * bar + gap for _, b in groups) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    at = left
    for label in isas + ["libvmaf 3.2.0"]:
        out.append(f'<rect x="{at}" y="8" width="9" height="9" fill="{COLOURS[label]}"/><text x="{at + 13}" y="16">{label}</text>')
        at += 24 + 6 * len(label)
    tick = low
    while tick <= high * 1.001:
        out.append(f'<line x1="{x(tick):.1f}" y1="{top - 8}" x2="{x(tick):.1f}" y2="{height - 18}" stroke="#dadce0"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{tick:g}</text>')
        tick *= 10
    y = top
    for name, bars in groups:
        out.append(f'<text x="{left - 6}" y="{y + len(bars) * bar / 2 + 3:.1f}" text-anchor="end">{name}</text>')
        for label, value in bars:
            out.append(f'<rect x="{left}" y="{y}" width="{max(1.0, x(value) - left):.1f}" height="{bar - 1}" fill="{COLOURS[label]}"/>'
                       f'<text x="{x(value) + 4:.1f}" y="{y + bar - 2}" font-size="8">{number(value)}</text>')
            y += bar
        y += gap
    out.append(f'<text x="{width - right + 20}" y="{height - 6}">ns/pixel</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="output of vmaf-bench --json; the best figure of all files counts")
    parser.add_argument("--calib", type=float, default=ANCHOR_CALIB, help="this machine's reading, ns/pixel")
    parser.add_argument("--svg", help="write the plot here")
    options = parser.parse_args()
    table, shape = load(options.files)
    if not table: sys.exit("report.py: no metrics in these files")
    isas = [i for i in ISAS if any(i in row for row in table.values())]
    scale = options.calib / ANCHOR_CALIB
    print(f"{shape[0]}×{shape[1]}, {shape[2]} bit, ns per luma pixel, one thread\n")
    print(markdown(table, isas, scale))
    if options.svg: open(options.svg, "w").write(svg(table, isas, scale))


if __name__ == "__main__":
    main()
