#!/usr/bin/env python3
"""The library contains only the engine: no objects of clip readers, the host device, programs or tests.

  library_objects.py NINJA BUILD_FOLDER LIBRARY
"""
import os
import re
import subprocess
import sys

ninja, build, library = sys.argv[1:]
inputs = subprocess.run([ninja, "-C", build, "-t", "inputs", os.path.relpath(library, build)], capture_output=True, text=True, check=True).stdout.split("\n")
objects = [line for line in inputs if line.endswith((".o", ".obj"))]
sources = [line for line in inputs if re.search(r"\.(cpp|c|mm|S)$", line)]
# Object names are source paths with '_' for '/'; those in libvmaf.so itself are the C API's.
foreign = re.compile(r"(^|/)src/io/|(^|/)src/device/(host|probe)/|_host_kernels|(^|/)(tools|tests|bench|fuzz)/|"
                     r"lib(vmaf_(media|testing|programs|tool|tune)|test_support)\b|"
                     r"src/(base/edit_distance|system/(startup|fiber|process|descriptor|input_file|mapped_|build_id|host_|pages|file_lock))")
problems = sorted({name for name in objects + sources if foreign.search(name)})
if len(objects) < 50 or len(sources) < 50: problems.append(f"only {len(objects)} objects and {len(sources)} sources of {library} were found")
print("\n".join(f"not of the engine: {name}" for name in problems) or f"{len(objects)} objects, all of the engine")
sys.exit(1 if problems else 0)
