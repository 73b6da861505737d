"""Runs the package's programs: video files, capabilities."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Union

from ._errors import BackendUnavailable, InvalidInput, VmafError
from ._library import PREFIX
from ._maps import CellMap, Maps, Regions, map_file, map_names
from ._maps import arguments as part_arguments
from ._result import Result, read_document
from ._scorer import Features, Models, check_request, feature_list, model_list

Path = Union[str, "os.PathLike[str]"]
_SUFFIX = ".exe" if sys.platform == "win32" else ""


def program(name: str) -> str:
    """The path of `vmaf` or `vmaf-tune`: in the folder VMAF_TURBO_PROGRAMS, in the wheel, or on the path."""
    given = os.environ.get("VMAF_TURBO_PROGRAMS")
    for folder in [pathlib.Path(given)] if given else [PREFIX / "bin"]:
        if (folder / (name + _SUFFIX)).exists():
            return str(folder / (name + _SUFFIX))
    found = None if given else shutil.which(name)
    if not found:
        raise VmafError(f"the program '{name}' was not found; install the wheel, or name its folder in VMAF_TURBO_PROGRAMS")
    return found


def _run(arguments: Sequence[str]) -> str:
    done = subprocess.run([program("vmaf"), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0:
        return done.stdout.decode(errors="replace")
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    sentence = "\n".join(line[len("vmaf: "):] if line.startswith("vmaf: ") else line for line in lines) or f"vmaf ended with {done.returncode}"
    kind = {100: BackendUnavailable, 1: InvalidInput, 234: InvalidInput, 255: InvalidInput}.get(done.returncode, VmafError)
    raise kind(sentence, done.returncode)


def _model_argument(name: str, source: str, folder: str) -> str:
    if ":" in name:
        raise InvalidInput(f"the score name '{name}' contains a colon; give the model another name")
    if not (os.path.exists(source) or source.endswith(".json")):
        return f"version={source}:name={name}"
    if ":" in source and sys.platform != "win32" and os.path.exists(source):  # a colon would end the path there
        source = shutil.copyfile(source, os.path.join(folder, f"model{len(os.listdir(folder))}.json"))
    return f"path={source}:name={name}"


def _quoted(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def score_files(ref: Path, dist: Path, *, model: Models = "vmaf_v0.6.1", features: Features = (), backend: str = "auto",
                threads: Optional[int] = None, maps: Maps = False, map_cell: int = 0, regions: Regions = {},
                arguments: Sequence[str] = ()) -> Result:
    """Scores two video files with the package's `vmaf` program.

    `arguments` are further ones of the program: `["--align", "auto"]`, or `["-w", "64", "-h", "64", "-p", "420", "-b", "8"]` for raw clips.

    >>> score_files("master.mov", "encode.mkv", features=["psnr"]).pooled["psnr_y"].mean      # doctest: +SKIP
    41.7
    """
    for name, given in (("ref", ref), ("dist", dist)):
        if not isinstance(given, (str, os.PathLike)):
            raise InvalidInput(f"{name} is a {type(given).__name__}, not a path; use vmaf() for arrays")
    if isinstance(arguments, str):
        raise InvalidInput(f"arguments is the text '{arguments}'; give a list: arguments={arguments.split()}")
    models, wanted = model_list(model), feature_list(features)
    check_request(models, wanted, backend)
    command = ["--reference", os.fspath(ref), "--distorted", os.fspath(dist), "--backend", backend, "--quiet", "--threads", "auto" if threads is None else str(threads)]
    if not models:
        command.append("--no_prediction")
    for name, options in wanted:
        command += ["--feature", name + ("=" if options else "") + ":".join(f"{key}={_quoted(value)}" for key, value in options.items())]
    with tempfile.TemporaryDirectory(prefix="vmaf_turbo_") as folder:
        path = os.path.join(folder, "scores.json")
        for name, source in models:
            command += ["--model", _model_argument(name, source, folder)]
        names = map_names(maps, [name for name, _ in models])
        _run([*command, *part_arguments(folder, names, map_cell, regions), *arguments, "--json", "--precision", "max", "--output", path])
        result = read_document(path, [name for name, _ in models])
        cells = {name: CellMap().read(map_file(folder, i), result.document["map"]) for i, name in enumerate(names)}
        return replace(result, cell_maps=cells)


def capabilities() -> Dict[str, Any]:
    """What this build can do on this machine, as reported by `vmaf --capabilities`."""
    found: Dict[str, Any] = json.loads(_run(["--capabilities"]))
    return found


def features() -> Dict[str, List[str]]:
    """Features, and the backends that have code for them.

    >>> "cpu" in features()["psnr"]
    True
    """
    found: Dict[str, List[str]] = capabilities()["features"]
    return found


def run_vmaf() -> None:
    """The console script `vmaf`."""
    _become("vmaf")


def run_vmaf_tune() -> None:
    """The console script `vmaf-tune`."""
    _become("vmaf-tune")


def _become(name: str) -> None:
    path = program(name)
    if sys.platform == "win32":
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, [path, *sys.argv[1:]])
