#!/usr/bin/env python3
"""Everything that FFmpeg's filters and our patches use is declared in the public headers and exported: surface.py SOURCE_ROOT"""
import pathlib
import re
import sys

NAME = r"\b(?:vmaf_[a-z0-9_]+|VMAF_[A-Z0-9_]+|Vmaf[A-Za-z]+)\b"
INCLUDE = r'#include <(?:libvmaf/)?(libvmaf[a-z_]*\.h)>'

root = pathlib.Path(sys.argv[1])
headers = root / "include/libvmaf"
declared = set(re.findall(NAME, "".join(path.read_text() for path in headers.glob("*.h"))))
exported = set((root / "tests/abi/symbols.txt").read_text().split())

stock = "\n".join(line for line in pathlib.Path(__file__).with_name("stock_surface.txt").read_text().splitlines()
                  if not line.startswith("#"))
code = "\n".join(line[1:] for path in sorted((root / "ffmpeg-patches").glob("n*/*.patch"))
                 for line in path.read_text().splitlines() if re.match(r"\+(?!\+\+)", line))
used = set(re.findall(NAME, stock + re.sub(r'"[^"\n]*"', "", code)))
missing = {name for name in used if name not in declared}
missing |= {name for name in used if name.startswith("vmaf_") and name not in exported}
missing |= {name for name in re.findall(INCLUDE, code) if not (headers / name).exists()}
if len(used) < 50:
    sys.exit(f"only {len(used)} names found: the patches were misread")
if missing:
    sys.exit("FFmpeg needs what the library lacks: " + " ".join(sorted(missing)))
print(f"{len(used)} names, all there")
