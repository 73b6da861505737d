#!/usr/bin/env python3
"""The shared library exports only the C API, has the right soname, and needs only the C and C++ runtimes.

  symbols.py LIBRARY EXPECTED_SYMBOLS
"""
import re
import subprocess
import sys

library, expected_path = sys.argv[1:3]
expected = set(open(expected_path).read().split())
dynamic = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
# Ignores symbols of sanitizers and unique objects of the C++ runtime.
named = {line.split()[-1] for line in dynamic.splitlines() if line.split()[1] in "TDBRVW"}
named -= {"vmaf_private_resources@@VMAF_PRIVATE", "VMAF_PRIVATE"}  # for the project's own programs
exported = {name.split("@")[0] for name in named}
exported = {name for name in exported if not re.match(r"(__odr_asan|__asan|__ubsan|__tsan|_init$|_fini$)", name)}
problems = [f"missing: {name}" for name in sorted(expected - exported)]
problems += [f"unexpected: {name}" for name in sorted(exported - expected)]

header = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
if "soname: [libvmaf.so.3]" not in header:
    problems.append("soname is not libvmaf.so.3")
allowed = r"lib(c|m|stdc\+\+|gcc_s|pthread|dl|asan|ubsan|tsan)\.so|ld-linux"
for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", header):
    if not re.match(allowed, needed):
        problems.append(f"depends on {needed}")

print("\n".join(problems) or f"{len(exported)} symbols, as expected")
sys.exit(1 if problems else 0)
