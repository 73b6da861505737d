#!/usr/bin/env python3
"""Compiles a CUDA source with clang for several architectures and packs the results into one fat binary.

usage: clang_fatbin.py CLANG FATBINARY sm_80,compute_80,... INPUT OUTPUT DEPFILE [FLAG...]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

clang, fatbinary, archs, source, target, depfile, *flags = sys.argv[1:]
common = [clang, '-x', 'cuda', '--cuda-device-only', '-std=c++17', '-O3', '-ffp-contract=off', *flags]

with tempfile.TemporaryDirectory() as folder:
    images = []
    for arch in archs.split(','):
        kind, number = arch.split('_')
        image = Path(folder) / arch
        # ptxas, which clang finds in the CUDA installation, assembles machine code.
        form = ['-c'] if kind == 'sm' else ['-S']
        subprocess.run([*common, f'--cuda-gpu-arch=sm_{number}', *form, '-MD', '-MF', depfile, '-MT', target, '-o', image, source], check=True)
        images.append(f'--image3=kind={"elf" if kind == "sm" else "ptx"},sm={number},file={image}')
    subprocess.run([fatbinary, '--create', target, '-64', *images], check=True)
