#!/usr/bin/env python3
"""Without GPU backends the library, as packages ship it, has at most 3.5 MB.

  library_size.py LIBRARY
"""
import pathlib
import subprocess
import sys
import tempfile

LIMIT = 3_500_000

with tempfile.TemporaryDirectory() as folder:
    stripped = pathlib.Path(folder) / "libvmaf.so"
    subprocess.run(["strip", "--strip-unneeded", "-o", stripped, sys.argv[1]], check=True)
    size = stripped.stat().st_size
print(f"{size} bytes, at most {LIMIT}" + ("" if size <= LIMIT else ": see `size build/src/*.a.p/*.o | sort -n`; what looks at no pixels belongs in control_sources"))
sys.exit(size > LIMIT)
