"""Minimal FFmpeg builds with an installed copy of our library."""
import os
import pathlib
import shutil
import subprocess

CONFIGURE = """
    --disable-everything --disable-autodetect --disable-doc --disable-debug --disable-network --disable-asm
    --disable-programs --enable-ffmpeg --disable-avdevice --disable-swresample --disable-pixelutils
    --optflags=-O1 --disable-stripping
    --enable-libvmaf --enable-filter=libvmaf,scale,setpts,settb,null,format
    --enable-demuxer=yuv4mpegpipe,rawvideo --enable-decoder=rawvideo,wrapped_avframe
    --enable-encoder=rawvideo,wrapped_avframe --enable-muxer=null,rawvideo,yuv4mpegpipe --enable-protocol=file,pipe
""".split()


def call(command, folder, **popen):
    """Runs a build step; shows its output only on failure."""
    run = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, **popen)
    if run.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{run.stdout[-6000:]}")
    return run.stdout


class Library:
    """Our library as clients find it: headers, libvmaf.pc and libvmaf.so.3 under a prefix."""

    def __init__(self, build_root, stage):
        if stage.exists():
            shutil.rmtree(stage)
        call(["meson", "install", "--no-rebuild", "--tags", "runtime,devel", "--destdir", stage], build_root)
        self.pkgconfig = next(stage.glob("**/pkgconfig/libvmaf.pc"))
        description = self.pkgconfig.read_text()
        self.prefix = stage / description.split("prefix=", 1)[1].split("\n", 1)[0].lstrip("/")
        self.folder = self.pkgconfig.parent.parent
        self.headers = self.prefix / "include/libvmaf"

    def has(self, backend):
        return (self.headers / f"libvmaf_{backend}.h").exists()


class Build:
    """An FFmpeg build folder."""

    def __init__(self, tree, folder, library):
        self.tree, self.folder, self.library = tree, folder, library

    def configure(self, *switches):
        self.folder.mkdir(parents=True, exist_ok=True)
        swresample = [] if (self.tree / "RELEASE").read_text()[0] == "5" else ["--enable-swresample"]
        postproc = ["--disable-postproc"] if (self.tree / "libpostproc").exists() else []
        call([self.tree / "configure", f"--pkg-config-flags=--define-variable=prefix={self.library.prefix}",
              *CONFIGURE, *swresample, *postproc, *switches], self.folder,
             env={**os.environ, "PKG_CONFIG_PATH": str(self.library.pkgconfig.parent)})

    def has(self, macro):
        """The value of a CONFIG_ macro after configuring."""
        text = (self.folder / "config.h").read_text() + (self.folder / "config_components.h").read_text()
        return f"#define CONFIG_{macro} 1\n" in text

    def make(self, *targets, keep_others=False):
        # keep_others: only the libvmaf filter, which is rebuilt anyway, reads the macros that changed in config.h.
        old = [word for name in ("config.h", "config_components.h") for word in ("-o", name)] if keep_others else []
        call(["make", f"-j{len(os.sched_getaffinity(0))}", *old, *(targets or ("ffmpeg",))], self.folder)

    def keep_binary(self, name):
        return pathlib.Path(shutil.copy2(self.folder / "ffmpeg", self.folder.parent / name))
