#!/usr/bin/env python3
"""Writes the table of features and backends in docs/backends/index.md, from the commands' capabilities.

usage: backend_matrix.py [--check] VMAF...

Backends that no given command has stay unchanged; features that are new there are untried. --check: exits with 1 if the page differs.
"""
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/backends/index.md"
BACKENDS = ("cpu", "cuda", "sycl", "hip", "metal")

check = "--check" in sys.argv
features, seen = {}, set()
for command in [word for word in sys.argv[1:] if not word.startswith("--")]:
    answer = json.loads(subprocess.run([command, "--capabilities"], capture_output=True, text=True, check=True).stdout)
    for feature, places in answer["features"].items():
        features.setdefault(feature, set()).update(places)
        seen.update(places)
if not features:
    sys.exit(__doc__)
text = PAGE.read_text()
before, _, old = text.partition("| feature |")
known = {row.split("`")[1]: dict(zip(BACKENDS, [cell.strip() for cell in row.split("|")[2:7]]))
         for row in old.splitlines()[2:] if row.startswith("| `")}
lines = ["| feature | " + " | ".join(BACKENDS) + " |", "| --- |" + " --- |" * len(BACKENDS)]
for feature in sorted(name for name in features if name != "null"):
    has_device_code = features[feature] - {"cpu"}  # one for all GPUs
    cells = [("yes" if backend in features[feature] else "") if backend in seen
             else known.get(feature, {}).get(backend) or ("untried" if has_device_code else "") for backend in BACKENDS]
    lines.append(f"| `{feature}` | " + " | ".join(cells) + " |")
new = before + "\n".join(lines) + "\n"
if not check:
    PAGE.write_text(new)
elif new != text:
    sys.exit(f"{PAGE} differs from the commands; run scripts/backend_matrix.py with the same arguments")
