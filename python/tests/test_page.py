"""The code of docs/usage/python.md runs as printed."""
import pathlib
import re
import subprocess

import os


def test_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, distort in (("reference.y4m", "none"), ("encode.y4m", "dct:40")):
        subprocess.check_call([os.environ["CLIPGEN"], "--size", "160x96", "--frames", "4", "--format", "420", "--depth", "8", "--scene", "street", "--distort",
                               distort, name])
    page = (pathlib.Path(__file__).parents[2] / "docs/usage/python.md").read_text()
    blocks = re.findall(r"(?s)```python\n(.*?)```", page)
    assert len(blocks) > 6
    scope = {}
    for block in blocks:
        exec(compile(block, "docs/usage/python.md", "exec"), scope)
    printed = capsys.readouterr().out
    assert "<Result: vmaf" in printed and "no_such_model" in printed
