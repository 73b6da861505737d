"""Builds the wheel (PEP 517): the package, with the result of `meson install` in `vmaf_turbo/prefix`.

The programs find their module relative to themselves, as in scripts/release.sh. Meson options are passed with
`--config-setting=setup-args=-Denable_cuda=true` (pip: `--config-settings`), several as one text with spaces.
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/vmaf_turbo"
LEFT_OUT = ("share/man", "bin/vmaf-parity", "share/bash-completion", "share/zsh", "share/fish")
EXECUTABLE, PLAIN = 0o100755, 0o100644


def version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text()).group(1)


def _installed(settings):
    """The programs and the library under one prefix."""
    folder = pathlib.Path(os.environ.get("VMAF_TURBO_WHEEL_BUILD", ROOT / "build-wheel"))
    given = settings.get("setup-args", "")
    options = shlex.split(given) if isinstance(given, str) else list(given)
    if not (folder / "build.ninja").exists():
        subprocess.check_call(["meson", "setup", str(folder), str(ROOT), "--prefix=/usr", "--libdir=lib", "--strip", "-Denable_tests=false",
                               "-Denable_bench=false", "-Dcpp_link_args=-static-libgcc -static-libstdc++", *options])
    elif options:  # also applies them to an existing folder
        subprocess.check_call(["meson", "configure", str(folder), *options])
    subprocess.check_call(["ninja", "-C", str(folder)])
    stage = folder / "wheel"
    subprocess.check_call(["rm", "-rf", str(stage)])
    subprocess.check_call(["meson", "install", "-C", str(folder), "--no-rebuild", "--quiet", "--tags", "runtime,bin", "--destdir", str(stage.resolve())])
    prefix = stage / "usr"
    if (prefix / "lib/vmaf").exists():
        (prefix / "lib/vmaf/movable").write_bytes((ROOT / "src/system/movable").read_bytes())
    return prefix


def _files(prefix):
    """(name in the wheel, path)"""
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.relative_to(PACKAGE).parts[0] != "prefix":
            yield f"vmaf_turbo/{path.relative_to(PACKAGE).as_posix()}", path
    for path in sorted(prefix.rglob("*")):
        name = path.relative_to(prefix).as_posix()
        # A wheel has no links: keeps only the library name that programs load.
        if not path.is_file() or name.startswith(LEFT_OUT) or re.search(r"libvmaf\.so(\.3\..*)?$", name):
            continue
        yield f"vmaf_turbo/prefix/{name}", path


def _metadata():
    page = (ROOT / "docs/usage/python.md").read_text()
    return (f"Metadata-Version: 2.1\nName: vmaf-turbo\nVersion: {version()}\nSummary: VMAF and its family of metrics for arrays and video files, exact and fast\n"
            "License: BSD-2-Clause-Patent\nRequires-Python: >=3.8\nProvides-Extra: arrays\nRequires-Dist: numpy; extra == 'arrays'\nProvides-Extra: torch\n"
            "Requires-Dist: torch; extra == 'torch'\nRequires-Dist: torchmetrics; extra == 'torch'\nDescription-Content-Type: text/markdown\n\n" + page)


class _Wheel:
    def __init__(self, path):
        self.archive, self.record = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, content, mode=PLAIN):
        entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        self.archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, info):
        self.archive.writestr(f"{info}/RECORD", "\n".join([*self.record, f"{info}/RECORD,,"]) + "\n")
        self.archive.close()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Lets installers read the metadata without building the wheel."""
    info = pathlib.Path(metadata_directory) / f"vmaf_turbo-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_metadata(), encoding="utf-8")
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    prefix = _installed(config_settings or {})
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    name, info = f"vmaf_turbo-{version()}-{tag}.whl", f"vmaf_turbo-{version()}.dist-info"
    wheel = _Wheel(pathlib.Path(wheel_directory) / name)
    for entry, path in _files(prefix):
        wheel.add(entry, path.read_bytes(), EXECUTABLE if os.access(path, os.X_OK) else PLAIN)
    wheel.add(f"{info}/METADATA", _metadata().encode())
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: vmaf-turbo\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\nvmaf = vmaf_turbo._files:run_vmaf\nvmaf-tune = vmaf_turbo._files:run_vmaf_tune\n")
    wheel.close(info)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The committed files."""
    name = f"vmaf_turbo-{version()}"
    path = pathlib.Path(sdist_directory).resolve() / f"{name}.tar.gz"
    subprocess.check_call(["git", "archive", "--format=tar.gz", f"--prefix={name}/", "-o", str(path), "HEAD"], cwd=ROOT)
    return path.name
