#!/usr/bin/env python3
"""Puts Debian's sources of libraries where Meson looks for its wraps, for machines whose libraries Debian does not build (Windows).

  source_subprojects.py DOWNLOAD_FOLDER [WRAP...]      sqlite3 and nettle, if none is named
"""
import pathlib
import shutil
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/ffmpeg"))
import source  # noqa: E402


def place(wrap, download):
    folder = ROOT / "subprojects" / wrap
    if (folder / "meson.build").exists():
        return
    with tarfile.open(source.fetch(download, wrap)) as archive:
        archive.extractall(folder.with_name(wrap + ".unpacked"))
    (unpacked,) = folder.with_name(wrap + ".unpacked").iterdir()
    unpacked.rename(folder)
    folder.with_name(wrap + ".unpacked").rmdir()
    shutil.copytree(ROOT / "subprojects/packagefiles" / wrap, folder, dirs_exist_ok=True)


if __name__ == "__main__":
    try:
        for name in sys.argv[2:] or ["sqlite3", "nettle"]:
            place(name, pathlib.Path(sys.argv[1]).resolve())
    except source.Unavailable as reason:
        sys.exit(f"source_subprojects.py: {reason}")
