#!/usr/bin/env python3
"""The embedded image contains exactly the kernels that metrics look up by name (backends.md 1.1).

usage: kernels_in_image.py METRIC KERNEL_LIST.hpp IMAGE [CUOBJDUMP]

IMAGE is a fat binary for CUDA, or a bundle of code objects for HIP, in which a kernel NAME has a descriptor NAME.kd. A fat binary that is
compressed is unpacked with NVIDIA's cuobjdump; without it the test is skipped.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

metric, listed, image = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), pathlib.Path(sys.argv[3]).resolve()
KERNEL = re.compile(rb"\.text\.(vmaf_\w+)\0|\0(vmaf_\w+)\.kd\0")


def names(content):
    return {(cuda or hip).decode() for cuda, hip in KERNEL.findall(content)}


def unpacked_names():
    if len(sys.argv) < 5:
        print("the image is compressed, and cuobjdump is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[4], "-xelf", "all", image], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return set().union(*(names(file.read_bytes()) for file in pathlib.Path(folder).iterdir()))


wanted = {f"vmaf_{name}" for name in re.findall(r"\bF\((\w+)\)", listed.split("#define VMAF_KERNELS(F)", 1)[1])}
there = names(image.read_bytes()) or unpacked_names()
if not wanted or wanted != there:
    sys.exit(f"{metric}: listed but not in the image: {sorted(wanted - there)}; in the image but not listed: {sorted(there - wanted)}")
print(f"{metric}: {len(wanted)} kernels")
