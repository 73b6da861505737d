#!/usr/bin/env python3
"""Builds FFmpeg over our library, unchanged and then patched, and runs both.

    run.py BUILD_FOLDER WORK_FOLDER VMAF CLIPGEN

Debian's source package is used, or the unpacked tree named by FFMPEG_SRC (5.1 or 8.1). Where neither is to be had the test is
skipped (exit 77), or fails if VMAF_REQUIRE_FFMPEG_SOURCE is 1.
"""
import os
import pathlib
import shutil
import sys
import time
import unittest

import builds
import source
import test_page
import test_patches
import test_stock
from clips import FilterTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
started = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - started:5.0f} s] {text}", flush=True)


def passed(module):
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    return unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite).wasSuccessful()


def main():
    build_root, work, vmaf, clipgen = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    work.mkdir(parents=True, exist_ok=True)
    try:
        base, tree = source.pristine_tree(work)
    except source.Unavailable as reason:
        print(f"no FFmpeg source: {reason}")
        return 1 if os.environ.get("VMAF_REQUIRE_FFMPEG_SOURCE") == "1" else 77
    say(f"FFmpeg {(tree / 'RELEASE').read_text().strip()}")

    library = builds.Library(build_root, work / "installed")
    for name in ("build", "clips"):
        shutil.rmtree(work / name, ignore_errors=True)
    (work / "clips").mkdir()
    stock = builds.Build(tree, work / "build", library)
    stock.configure()
    say("configured")
    stock.make()
    say("built")
    FilterTest.library, FilterTest.base, FilterTest.folder, FilterTest.models = library, base, work / "clips", ROOT / "models"
    FilterTest.vmaf, FilterTest.clipgen = str(vmaf), str(clipgen)
    FilterTest.ffmpeg = FilterTest.stock = stock.keep_binary("ffmpeg-stock")
    good = all([passed(test_stock), passed(test_page)])
    say("unchanged FFmpeg done")

    test_patches.prepare(stock, ROOT / "ffmpeg-patches", work, say)
    good = passed(test_patches) and good
    say("patched FFmpeg done")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
