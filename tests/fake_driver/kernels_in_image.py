#!/usr/bin/env python3
"""Every kernel that a metric looks up by name is in its embedded image, and none is in there unasked (backends.md 1.1).

usage: kernels_in_image.py METRIC KERNEL_LIST.hpp IMAGE

IMAGE is a fat binary for CUDA, or a bundle of code objects for HIP, in which a kernel NAME has a descriptor NAME.kd.
"""
import pathlib
import re
import sys

metric, listed, image = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), pathlib.Path(sys.argv[3]).read_bytes()
wanted = {f"vmaf_{name}" for name in re.findall(r"\bF\((\w+)\)", listed.split("#define VMAF_KERNELS(F)", 1)[1])}
there = {(cuda or hip).decode() for cuda, hip in re.findall(rb"\.text\.(vmaf_\w+)\0|\0(vmaf_\w+)\.kd\0", image)}
if not wanted or wanted != there:
    sys.exit(f"{metric}: listed but not in the image: {sorted(wanted - there)}; in the image but not listed: {sorted(there - wanted)}")
print(f"{metric}: {len(wanted)} kernels")
