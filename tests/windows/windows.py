"""Shared by tests of Windows builds: programs under wine, in their own prefix."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["WINDOWS_BUILD"]).resolve()
# File names are UTF-8 there, whatever this system's locale.
ENVIRONMENT = {**os.environ, "WINEPREFIX": str(BUILD / "wine"), "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp"}


def wrapper(name, program):
    """A script that runs a Windows program like a native one."""
    path = BUILD / "wrappers" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nexport WINEPREFIX="{BUILD}/wine" WINEDEBUG=-all LC_ALL=C.UTF-8\nexec wine "{program}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def dos(path):
    """The Windows name of a file: wine maps the root to drive Z."""
    return "Z:" + str(path).replace("/", "\\")


def wine(program, *arguments, expect=0, text=True, timeout=300, **popen):
    run = subprocess.run(["wine", str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                         **({"encoding": "utf-8"} if text else {}), env={**ENVIRONMENT, **popen.pop("env", {})}, **popen)
    if expect is not None and run.returncode != expect:
        raise AssertionError(f"{program} {arguments}: exit {run.returncode}\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}")
    return run


class WindowsTest(unittest.TestCase):
    """A folder with a non-ASCII name and a pair of clips."""

    vmaf, clipgen = BUILD / "tools/vmaf.exe", BUILD / "tools/clipgen.exe"

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="vmaf-größe-映像-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.ref, cls.dist = cls.clip("Vorlage ä.y4m"), cls.clip("ビデオ.y4m", distort="dct:40")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def clip(cls, name, distort="none", size="64x48", frames=4):
        path = cls.folder / name
        wine(cls.clipgen, "--size", size, "--frames", frames, "--distort", distort, path)
        return path

    def score(self, *arguments, **options):
        return wine(self.vmaf, "-r", self.ref, "-d", self.dist, *arguments, **options)

    def document(self, path):
        return json.loads(path.read_text(encoding="utf-8"))


@contextlib.contextmanager
def wine_stays():
    """An idle Windows shell: it keeps wine's server and services running, so programs start in a tenth of the time."""
    with subprocess.Popen(["wine", "cmd.exe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT) as shell:
        shell.stdout.readline()  # services started by a test would hold its pipes open
        try:
            yield
        finally:
            shell.stdin.close()


def main():
    shutil.rmtree(BUILD / "wrappers", ignore_errors=True)
    with wine_stays():
        unittest.main()
