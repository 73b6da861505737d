#!/usr/bin/env python3
"""FFmpeg for Windows with the library of a Windows build, from Debian's sources of FFmpeg and x264: what the filter and
vmaf-tune need of it.

  ffmpeg_build.py WINDOWS_BUILD FOLDER     makes FOLDER/ffmpeg.exe, FOLDER/ffprobe.exe and the libraries beside them
"""
import os
import pathlib
import shutil
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/ffmpeg"))
import builds  # noqa: E402
import source  # noqa: E402

PREFIX = "x86_64-w64-mingw32-"
CROSS = f"--arch=x86_64 --target-os=mingw32 --enable-cross-compile --cross-prefix={PREFIX} --pkg-config=pkg-config".split()
COMPILER = ("ccache " if shutil.which("ccache") else "") + PREFIX + "gcc-posix"
TUNE = """
    --enable-ffprobe --enable-gpl --enable-libx264 --enable-encoder=libx264 --enable-decoder=h264 --enable-parser=h264
    --enable-demuxer=matroska,mov,h264,concat --enable-muxer=matroska,mp4,h264,image2 --enable-bsf=h264_mp4toannexb
    --enable-filter=trim,select,fps,crop,showinfo,metadata,signalstats,blackframe,pad,color,extractplanes,setsar,split,hstack
    --enable-avdevice --enable-indev=lavfi
    --extra-ldflags=-static-libgcc
""".split()


def unpacked(package, folder):
    with tarfile.open(source.fetch(folder / "download", package)) as archive:
        top = archive.getnames()[0].split("/")[0]
        if not (folder / top).exists():
            archive.extractall(folder)
    return folder / top


def x264(folder):
    """Builds a static library; returns the folder of its description."""
    prefix = folder / "x264"
    if not (prefix / "lib/libx264.a").exists():
        tree = unpacked("x264", folder)
        builds.call(["./configure", "--host=x86_64-w64-mingw32", f"--cross-prefix={PREFIX}", "--disable-asm", "--enable-static", "--disable-cli",
                     "--disable-opencl", "--bit-depth=8", "--extra-cflags=-O1", f"--prefix={prefix}"], tree)
        builds.call(["make", f"-j{len(os.sched_getaffinity(0))}", "install-lib-static"], tree)
    return prefix / "lib/pkgconfig"


def main():
    build_root, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    folder.mkdir(parents=True, exist_ok=True)
    library = builds.Library(build_root, folder / "stage")
    descriptions = f"{library.pkgconfig.parent}:{x264(folder)}"
    tree = unpacked("ffmpeg", folder)
    build = folder / "build"
    if not (build / "config.h").exists():
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir()
        # libvmaf.pc names its installation folder, but is in the staging folder.
        builds.call([tree / "configure", "--pkg-config-flags=--define-prefix", *builds.CONFIGURE, "--disable-postproc", *CROSS, f"--cc={COMPILER}", *TUNE], build,
                    env={**os.environ, "PKG_CONFIG_LIBDIR": descriptions})
    builds.call(["make", f"-j{len(os.sched_getaffinity(0))}", "ffmpeg.exe", "ffprobe.exe"], build)
    threads = builds.call([PREFIX + "gcc-posix", "-print-file-name=libwinpthread-1.dll"], folder).strip()
    for file in (build / "ffmpeg.exe", build / "ffprobe.exe", next((folder / "stage").glob("**/libvmaf-3.dll")), threads):
        shutil.copy2(file, folder)


if __name__ == "__main__":
    try:
        main()
    except source.Unavailable as reason:
        sys.exit(f"ffmpeg_build.py: {reason}")
