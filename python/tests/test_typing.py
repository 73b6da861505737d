"""The package, and code that uses it, pass mypy --strict."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
USER = """
from typing import Dict, List
import vmaf_turbo as vt

def mean(ref: object, dist: object) -> float:
    with vt.Scorer(64, 64, model={"hd": "vmaf_v0.6.1"}, features=["psnr"], regions={"face": (0, 0, 16, 16)}) as scorer:
        scorer.push(ref, dist)
        result: vt.Result = scorer.finish()
    rows: List[Dict[str, float]] = result.rows
    return result.pooled["hd"].mean + rows[0]["psnr_y"]

try:
    vt.score_files("a.mkv", "b.mkv", features={"psnr": {"enable_mse": True}}).percentile(1)
except vt.InvalidInput as problem:
    code: int = problem.code
metric = vt.TorchMetric(backend="cpu")
"""


def checked(*arguments):
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", str(ROOT / "pyproject.toml"), *arguments], cwd=ROOT,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.returncode, run.stdout


def test_the_package_is_typed():
    pytest.importorskip("mypy")
    code, printed = checked("-p", "vmaf_turbo")
    assert code == 0, printed


def test_code_that_uses_it_is_checked(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    code, printed = checked(str(tmp_path / "user.py"))
    assert code == 0, printed
    (tmp_path / "wrong.py").write_text("import vmaf_turbo as vt\nvt.Scorer('64', 64)\n")
    code, printed = checked(str(tmp_path / "wrong.py"))
    assert code == 1 and "incompatible type" in printed, printed
