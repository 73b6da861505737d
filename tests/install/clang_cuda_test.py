#!/usr/bin/env python3
"""A build whose CUDA code is compiled by clang (-Denable_nvcc=false) configures and passes the right arguments: fakes take the place
of clang and CUDA's fatbinary, so it needs neither.

usage: clang_cuda_test.py MESON_SOURCE_ROOT
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = sys.argv.pop(1)

# Writes its arguments to its output.
STAND_IN = """#!/bin/sh
[ "$1" != -dumpversion ] || { echo 99.1; exit 0; }
last= ; for word; do case $last in -MF) echo "x: " >"$word";; -o|--create) echo "$0 $*" >>"$word";; esac; last=$word; done
exit %d
"""


class ClangForCuda(unittest.TestCase):
    def configure(self, folder, clang_exit=0, fatbinary=True, parts=("tests", "bench", "tools")):
        programs = pathlib.Path(folder) / "programs"
        programs.mkdir()
        for name, code in (("clang++", clang_exit), *((("fatbinary", 0),) if fatbinary else ())):
            (programs / name).write_text(STAND_IN % code)
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "CC": os.environ.get("CC", "cc"), "CXX": os.environ.get("CXX", "c++"),
                            "PATH": f"{programs}:{os.environ['PATH']}"}
        self.build = pathlib.Path(folder) / "build"
        return subprocess.run(["meson", "setup", str(self.build), ROOT, "-Denable_cuda=true", "-Denable_nvcc=false", "-Denable_asm=false",
                               *(f"-Denable_{part}=false" for part in parts), "-Dnvidia_archs=sm_80,compute_80"],
                              env=self.environment, capture_output=True, text=True)

    def test_it_configures_and_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.configure(folder)
            self.assertEqual(run.returncode, 0, run.stdout[-2000:] + run.stderr)
            self.assertIn("built with clang 99.1: sm_80 compute_80", run.stdout)
            run = subprocess.run(["ninja", "-C", str(self.build), "src/device/cuda/psnr.fatbin"], env=self.environment, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            asked = (self.build / "src/device/cuda/psnr.fatbin").read_text()
            for word in ("kind=elf,sm=80", "kind=ptx,sm=80"):
                self.assertIn(word, asked)

    def test_it_configures_with_everything_that_a_developer_builds(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.configure(folder, parts=())
            self.assertEqual(run.returncode, 0, run.stdout[-2000:] + run.stderr)

    def test_a_clang_that_does_not_know_the_installed_cuda_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.configure(folder, clang_exit=1)
            self.assertEqual(run.returncode, 1)
            self.assertIn("cannot compile for the installed CUDA", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
