"""Builds with every library taken from its Meson wrap, without a network: Debian's source packages, put into git repositories, replace
the upstream ones that the wraps name. Too slow for the gate; .ci/full runs it.

  wraps_test.py SCRATCH_FOLDER [NINJA_TARGET...]
"""

import configparser
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/ffmpeg"))
import source  # noqa: E402

PACKAGES = {"highway": "highway", "nlohmann_json": "nlohmann-json3", "cli11": "cli11", "sqlite3": "sqlite3", "nettle": "nettle", "gtest": "googletest"}


def call(*words, **options):
    subprocess.run([str(word) for word in words], check=True, **options)


def repository(folder, wrap, package):
    """A git repository with the package's source under the tag that the wrap names; returns its address and the wrap's."""
    place = folder / "upstream" / wrap
    if place.exists():
        shutil.rmtree(place)
    tarball = source.fetch(folder / "download", package)
    with tarfile.open(tarball) as archive:
        archive.extractall(folder / "upstream" / "unpacked")
    (unpacked,) = (folder / "upstream" / "unpacked").iterdir()
    shutil.copytree(unpacked, place, symlinks=True)  # a copy, so that we own the files
    shutil.rmtree(unpacked)
    settings = configparser.ConfigParser()
    settings.read(ROOT / "subprojects" / (wrap + ".wrap"))
    git = ["git", "-C", place, "-c", "user.name=test", "-c", "user.email=test@example.org"]
    call("git", "init", "-q", place)
    call(*git, "add", "-A", "-f")
    call(*git, "commit", "-q", "-m", "source")
    call(*git, "tag", settings["wrap-git"]["revision"])
    return place, settings["wrap-git"]["url"]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    targets = sys.argv[2:] or ["tools/vmaf", "tools/vmaf-tune", "tests/unit_tests"]
    tree = folder / "tree"
    if tree.exists():
        shutil.rmtree(tree)
    tree.mkdir(parents=True)
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True).stdout
    for name in filter(None, listing.decode().split("\0")):
        if (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    redirections = []
    for wrap, package in PACKAGES.items():
        place, url = repository(folder, wrap, package)
        redirections.append((f"url.file://{place}.insteadOf", url))
    environment = dict(os.environ, GIT_CONFIG_COUNT=str(len(redirections)), GIT_ALLOW_PROTOCOL="file")
    for i, (key, value) in enumerate(redirections):
        environment |= {f"GIT_CONFIG_KEY_{i}": key, f"GIT_CONFIG_VALUE_{i}": value}
    build = folder / "build"
    if build.exists():
        shutil.rmtree(build)
    call("meson", "setup", build, tree, "--wrap-mode=forcefallback", "-Dbuildtype=debug", "-Doptimization=1", "-Dwerror=true",
         "-Denable_bench=false", "-Denable_libav=disabled", env=environment)
    for wrap in PACKAGES:
        assert (tree / "subprojects" / wrap).is_dir(), f"{wrap} was not taken from its wrap"
    call("ninja", "-C", build, *targets, env=environment)


if __name__ == "__main__":
    try:
        main()
    except source.Unavailable as reason:
        print(reason)
        sys.exit(77)
