#!/usr/bin/env python3
"""Builds FFmpeg with our library, unpatched and then patched, and runs both.

    run.py BUILD_FOLDER WORK_FOLDER VMAF CLIPGEN

Uses Debian's source package, or the unpacked tree in FFMPEG_SRC (5.1 or 8.1). Without either the test is skipped (exit 77), or fails if
VMAF_REQUIRE_FFMPEG_SOURCE is 1 and the system's FFmpeg is one of these versions. Builds are reused until headers, patches or the build
scripts change; ffmpeg loads the library at start.
"""
import hashlib
import json
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
import test_turbo
from clips import FilterTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
started = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - started:5.0f} s] {text}", flush=True)


def passed(module):
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    return unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite).wasSuccessful()


def state_of_inputs(library):
    """Changes if FFmpeg must be rebuilt."""
    files = [library.pkgconfig, *library.headers.glob("*.h"), *(ROOT / "ffmpeg-patches").rglob("*.*"),
             *(pathlib.Path(__file__).with_name(name) for name in ("source.py", "builds.py", "test_patches.py", "recorder.c"))]
    text = os.environ.get("FFMPEG_SRC", "").encode()
    return hashlib.sha256(text + b"".join(path.read_bytes() for path in sorted(files) if path.is_file())).hexdigest()


def build_all(work, library):
    """Builds what the tests run, and returns the findings."""
    tree = source.pristine_tree(work)
    base = source.base_of(tree)
    version = source.version_of(tree)
    say(f"FFmpeg {version}")
    shutil.rmtree(work / "build", ignore_errors=True)
    build = builds.Build(tree, work / "build", library)
    build.configure()
    say("configured")
    build.make()
    build.keep_binary("ffmpeg-stock")
    say("built")
    patches = ROOT / "ffmpeg-patches"
    return {"base": base, **test_patches.build(build, patches, base, version in source.VERSIONS[base], say)}


def main():
    build_root, work, vmaf, clipgen = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    work.mkdir(parents=True, exist_ok=True)
    library = builds.Library(build_root, work / "installed")
    memory, state = work / "built.json", state_of_inputs(library)
    found = json.loads(memory.read_text()) if memory.exists() else {}
    if found.get("state") != state:
        memory.unlink(missing_ok=True)
        try:
            found = {"state": state, **build_all(work, library)}
        except source.Unavailable as reason:
            print(f"no FFmpeg source: {reason}")
            required = os.environ.get("VMAF_REQUIRE_FFMPEG_SOURCE") == "1" and not isinstance(reason, source.NoSeries)
            return 1 if required else 77
        memory.write_text(json.dumps(found))

    test_patches.Series.found = found
    FilterTest.base, FilterTest.library, FilterTest.vmaf, FilterTest.clipgen = found["base"], library, str(vmaf), str(clipgen)
    FilterTest.ffmpeg = FilterTest.stock = work / "ffmpeg-stock"
    FilterTest.patched, FilterTest.selectors, FilterTest.recorder = (
        work / name for name in ("ffmpeg-patched", "ffmpeg-selectors", "recorder.so"))
    FilterTest.models, FilterTest.patches, FilterTest.folder = ROOT / "models", ROOT / "ffmpeg-patches", work / "clips"
    shutil.rmtree(work / "clips", ignore_errors=True)
    (work / "clips").mkdir()
    good = all([passed(module) for module in (test_stock, test_turbo, test_page, test_patches)])
    say("all run")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
