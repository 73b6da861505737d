"""Clips for the tests: those of the golden figures, read as arrays."""
import os
import pathlib
import subprocess
import sys

import pytest

if "VMAF_TURBO_LIBRARY" in os.environ:  # tests the package in this folder over a build; otherwise the installed one
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
np = pytest.importorskip("numpy")

collect_ignore = ["run.py", "wheel_check.py", "gpu_check.py"]  # programs
SHAPES = {"420": (2, 2), "422": (1, 2), "444": (1, 1)}


class Clips:
    """Generated clips (tools/clipgen), as files and as arrays."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, width, height, frames, form="420", depth=8, distort="none", scene="street"):
        path = self.folder / f"{width}x{height}_{frames}_{form}_{depth}_{distort.replace(':', '')}_{scene}.yuv"
        if not path.exists():
            subprocess.check_call([os.environ["CLIPGEN"], "--size", f"{width}x{height}", "--frames", str(frames), "--format", form, "--depth", str(depth),
                                   "--scene", scene, "--distort", distort, str(path)])
        return path

    def planes(self, width, height, frames, form="420", depth=8, **what):
        """Stacks (T, H, W) of Y, Cb and Cr."""
        down, across = SHAPES[form]
        sizes = [(height, width)] + 2 * [(height // down, width // across)]
        samples = np.fromfile(self.path(width, height, frames, form, depth, **what), np.uint8 if depth == 8 else np.uint16)
        each = samples.reshape(frames, -1)
        out, first = [], 0
        for rows, columns in sizes:
            out.append(each[:, first:first + rows * columns].reshape(frames, rows, columns))
            first += rows * columns
        return tuple(out)


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    return Clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture()
def pair(clips):
    """Six frames of luma and their distorted version."""
    return tuple(clips.planes(160, 96, 6, distort=how)[0] for how in ("none", "dct:40"))
