"""Fetches sources of Debian packages, above all FFmpeg, with apt into a private folder; does not touch the system's package lists."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

# The versions each series was written for. Debian may update within 5.1.x: lines may move, but the filter rarely changes.
VERSIONS = {"n5.1": ("5.1.9",), "n8.1": ("8.1.1", "8.1.2")}
FILTER_SHA256 = {
    "n5.1": "4a59c39bc05da246dffd66f400850cdb29e03c7c6660360a71e7f1eccd95f5ef",
    "n8.1": "6c6fa0392255074a2cfbd8bf0264ce53f442f66cb892ea154845eb735b7ea5c9",
}


class Unavailable(Exception):
    """No source is available; the message says why."""


class NoSeries(Unavailable):
    """The source's version is not one that the patches support."""


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source_entries(parts, suite=None):
    """Writes deb-src versions of this system's Debian entries into `parts`; with a suite, for that release from the same server."""
    parts.mkdir(parents=True, exist_ok=True)
    apt = pathlib.Path("/etc/apt")
    modern, classic = apt / "sources.list.d/debian.sources", apt / "sources.list"
    if suite:
        text = "\n".join(path.read_text() for path in (modern, classic) if path.exists())
        address = re.search(r"(?m)^(?:URIs:|deb\b(?: \[.*?\])?) *(\S+/debian)/?(?:\s|$)", text)
        if not address:
            raise Unavailable("this system has no Debian package sources")
        (parts / "debian.sources").write_text(f"Types: deb-src\nURIs: {address.group(1)}\nSuites: {suite}\nComponents: main\n"
                                              "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n")
    elif modern.exists():
        (parts / "debian.sources").write_text(re.sub(r"(?m)^Types:.*$", "Types: deb-src", modern.read_text()))
    elif classic.exists():
        lines = [line for line in classic.read_text().splitlines() if line.startswith("deb ")]
        (parts / "debian.list").write_text("".join("deb-src " + line[4:] + "\n" for line in lines))
    else:
        raise Unavailable("this system has no Debian package sources")


def apt_get(folder, *arguments):
    places = {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": folder / "parts", "Dir::State": folder / "state",
              "Dir::State::status": "/var/lib/dpkg/status", "Dir::Cache": folder / "cache",
              "APT::Sandbox::User": "root", "Acquire::Retries": 3, "Acquire::http::Timeout": 20}
    options = [word for name, value in places.items() for word in ("-o", f"{name}={value}")]
    run = subprocess.run(["apt-get", "-q", *options, *arguments], cwd=folder, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        raise Unavailable(f"apt-get {arguments[0]} failed:\n{run.stdout}")


def verified_tarball(folder, package):
    """The upstream tarball in `folder`, if it matches its .dsc."""
    for description in folder.glob(package + "_*.dsc"):
        sums = re.search(r"(?m)^Checksums-Sha256:\n((?: .*\n)+)", description.read_text()).group(1)
        wanted, _, name = next(line.split() for line in sums.splitlines() if re.search(r"\.orig\.tar\.[gx]z$", line))
        tarball = folder / name
        if not tarball.exists():
            continue
        if sha256(tarball) != wanted:
            raise RuntimeError(f"{name}: its SHA-256 is not the one in {description.name}")
        return tarball
    return None


def fetch(folder, package="ffmpeg", suite=None):
    folder.mkdir(parents=True, exist_ok=True)
    tarball = verified_tarball(folder, package)
    if tarball:
        return tarball
    release = pathlib.Path("/etc/os-release")
    if not shutil.which("apt-get") or not release.exists() or "\nID=debian" not in "\n" + release.read_text():
        raise Unavailable(f"the source package of {package} is fetched with Debian's apt, and this is another system")
    source_entries(folder / "parts", suite)
    for place in ("state/lists/partial", "cache/archives/partial"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    apt_get(folder, "update", "--error-on=any")
    apt_get(folder, "source", "--download-only", package)
    tarball = verified_tarball(folder, package)
    if not tarball:
        raise Unavailable(f"apt-get source brought no tarball of {package}")
    return tarball


def pristine_tree(folder):
    """A fresh, unchanged copy of FFmpeg's source under `folder`: FFMPEG_SRC's or Debian's."""
    tree = folder / "source"
    if tree.exists():
        shutil.rmtree(tree)
    given = os.environ.get("FFMPEG_SRC")
    if given:
        shutil.copytree(given, tree, ignore=shutil.ignore_patterns(".git"))
    else:
        with tarfile.open(fetch(folder / "download")) as archive:
            top = archive.getnames()[0].split("/")[0]
            archive.extractall(folder)
        (folder / top).rename(tree)
    return tree


def version_of(tree):
    return (tree / "RELEASE").read_text().strip()


def base_of(tree):
    """The name of the series for this tree."""
    version = version_of(tree)
    base = "n" + ".".join(version.split(".")[:2])
    if base not in VERSIONS:
        raise NoSeries(f"there is no patch series for FFmpeg {version}")
    if sha256(tree / "libavfilter/vf_libvmaf.c") != FILTER_SHA256[base]:
        print(f"note: the libvmaf filter of FFmpeg {version} is not the one that the {base} series was written for", flush=True)
    return base
