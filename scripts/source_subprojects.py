#!/usr/bin/env python3
"""Provides Debian's library sources as Meson subprojects, for targets whose libraries Debian does not build.

  source_subprojects.py DOWNLOAD_FOLDER [WRAP[@SUITE]...]      default: sqlite3 and nettle (for Windows)

With a suite (highway@trixie) it takes the source from another Debian release, and replaces headers that
header_subprojects.sh linked.
"""
import pathlib
import shutil
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/ffmpeg"))
import source  # noqa: E402


def place(name, download):
    wrap, _, suite = name.partition("@")
    folder = ROOT / "subprojects" / wrap
    is_linked = any(path.is_symlink() for path in folder.glob("*"))
    if (folder / "meson.build").exists() and not (suite and is_linked):
        return
    if is_linked:
        shutil.rmtree(folder)
    with tarfile.open(source.fetch(download / suite, wrap, suite or None)) as archive:
        archive.extractall(folder.with_name(wrap + ".unpacked"))
    (unpacked,) = folder.with_name(wrap + ".unpacked").iterdir()
    unpacked.rename(folder)
    folder.with_name(wrap + ".unpacked").rmdir()
    shutil.copytree(ROOT / "subprojects/packagefiles" / wrap, folder, dirs_exist_ok=True)
    for path in folder.rglob("*.h"):
        path.touch()  # archives keep old times; Ninja would miss changed headers


if __name__ == "__main__":
    try:
        for name in sys.argv[2:] or ["sqlite3", "nettle"]:
            place(name, pathlib.Path(sys.argv[1]).resolve())
    except source.Unavailable as reason:
        sys.exit(f"source_subprojects.py: {reason}")
