"""Builds the wheel and tries it in fresh virtual environments: a bare one, and one with the system's NumPy and torch, which runs all tests.

    wheel_check.py WORK_FOLDER CLIPGEN [MESON OPTION...]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
work, clipgen = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
bare_environment = {name: value for name, value in os.environ.items() if not name.startswith(("VMAF_", "PYTHON"))}
BARE = """
import ctypes
import sys
try:
    import numpy
    sys.exit("this environment is not bare")
except ImportError:
    pass
import vmaf_turbo as vt
assert vt.models() and vt.features(), "lists"
result = vt.score_files("ref.y4m", "dis.y4m", features=["psnr"])
video = vt.capabilities()["video_files"]

class Luma:
    def __init__(self, step):
        self.samples = (ctypes.c_ubyte * (2 * 64 * 64))(*(i * step % 200 for i in range(2 * 64 * 64)))
        self.__array_interface__ = {"data": (ctypes.addressof(self.samples), True), "shape": (2, 64, 64), "typestr": "|u1", "version": 3}
assert 0 <= float(vt.vmaf(Luma(7), Luma(9))) < float(vt.vmaf(Luma(7), Luma(7))), "arrays without NumPy"
print(vt.__version__, result, "video files:", video["usable"], video.get("reason", ""))
assert video["usable"] or "was built without" in video["reason"], video
"""


def run(*command, **options):
    subprocess.check_call([str(word) for word in command], **{"env": bare_environment, **options})


def environment(name, *switches):
    folder = work / name
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", *switches, folder)
    run(folder / "bin/pip", "install", "-q", "--no-index", "--force-reinstall", "--no-deps", *work.glob("*.whl"))
    return folder / "bin"


def main():
    work.mkdir(parents=True, exist_ok=True)
    for old in work.glob("*.whl"):
        old.unlink()
    settings = ["--config-setting=setup-args=" + " ".join(sys.argv[3:])] if sys.argv[3:] else []
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", *settings, "-o", work, ROOT,
        env={**bare_environment, "VMAF_TURBO_WHEEL_BUILD": str(work / "build")})
    (wheel,) = work.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("vmaf_turbo/py.typed", "vmaf_turbo/prefix/lib/libvmaf.so.3", "vmaf_turbo/prefix/bin/vmaf"):
        assert wanted in names, (wanted, names)
    assert "-py3-none-" in wheel.name, wheel.name
    for name, distort in (("ref.y4m", "none"), ("dis.y4m", "dct:40")):
        run(clipgen, "--size", "160x96", "--frames", "4", "--format", "420", "--depth", "8", "--scene", "street", "--distort", distort, work / name)
    programs = environment("bare")
    run(programs / "python", "-c", BARE, cwd=work)
    run(programs / "vmaf", "-r", "ref.y4m", "-d", "dis.y4m", "-q", cwd=work)
    for name in ("vmaf", "vmaf-tune"):
        if f"vmaf_turbo/prefix/bin/{name}" in names:
            run(programs / name, "--version")
    programs = environment("full", "--system-site-packages")
    run(programs / "python", "-m", "pytest", "-q", "-rs", "python/tests", cwd=ROOT,
        env={**bare_environment, "CLIPGEN": str(clipgen), "PYTHONDONTWRITEBYTECODE": "1"})
    print(f"{wheel.name}: {wheel.stat().st_size >> 10} KiB, {len(names)} files")


if __name__ == "__main__":
    main()
