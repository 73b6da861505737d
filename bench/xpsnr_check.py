#!/usr/bin/env python3
"""Compares XPSNR of `vmaf` with FFmpeg's filter, on generated clips and pieces of filmed ones.

  xpsnr_check.py VMAF CLIPGEN FFMPEG [--natural FOLDER] [--work FOLDER]

FFMPEG must have the filter `xpsnr` (7.1 and newer); the `ffmpeg` in PATH makes the clips and needs libx265. Prints both figures and the
largest difference; exits with 1 if one exceeds half of the last digit that the filter prints. Skips chroma of odd sizes, which FFmpeg rounds up.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LAST_DIGIT = 0.0001
FILMED = {  # name: filter, pixel format, CRF, frames
    "8 bit": ("null", "yuv420p", 34, 20), "720p": ("scale=1280:720", "yuv420p", 30, 8), "10 bit": ("scale=640:360", "yuv420p10le", 32, 20),
    "4:2:2, 10 bit": ("scale=352:288", "yuv422p10le", 30, 20), "4:4:4, 10 bit": ("scale=320:240", "yuv444p10le", 36, 20), "60 frames/s": ("fps=60,scale=480:270", "yuv420p", 36, 24),
}
MADE = {  # name: size, depth, format, scene, distortion
    "street": ("352x288", 8, "420", "street", "dct:60"), "street, 10 bit": ("640x360", 10, "420", "street", "dct:40"), "odd, 4:4:4": ("355x289", 8, "444", "street", "dct:50"),
    "odd, 4:2:0": ("353x287", 8, "420", "street", "dct:50"), "cuts, 12 bit, 4:2:2": ("320x180", 12, "422", "cut", "dct:30"), "noise": ("352x288", 8, "420", "noise", "dct:20"),
}


def make(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-nostdin", *map(str, words)], check=True)


def pairs(options, folder):
    reference, distorted = folder / "reference.y4m", folder / "distorted.y4m"
    for name, (size, depth, chroma, scene, distortion) in MADE.items():
        for path, more in ((reference, []), (distorted, ["--distort", distortion])):
            subprocess.run([options.clipgen, "--size", size, "--frames", "6", "--depth", str(depth), "--format", chroma, "--scene", scene, "--seed", "3", *more, str(path)], check=True)
        yield name, reference, distorted
    videos = sorted(p for p in options.natural.iterdir() if p.suffix in (".mp4", ".mkv", ".mov", ".webm")) if options.natural else []
    for video in videos:
        for name, (chain, pixels, crf, frames) in FILMED.items():
            make("-i", video, "-vf", chain, "-frames:v", frames, "-pix_fmt", pixels, "-strict", -1, reference)
            make("-i", reference, "-c:v", "libx265", "-x265-params", "log-level=none", "-preset", "ultrafast", "-crf", crf, folder / "encode.mkv")
            make("-i", folder / "encode.mkv", "-pix_fmt", pixels, "-strict", -1, distorted)
            yield f"{video.stem}: {name}", reference, distorted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("vmaf", "clipgen", "ffmpeg"):
        parser.add_argument(name)
    parser.add_argument("--natural", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    options = parser.parse_args()
    scratch = tempfile.TemporaryDirectory(prefix="xpsnr-check-")
    folder = options.work or pathlib.Path(scratch.name)
    folder.mkdir(parents=True, exist_ok=True)
    worst = 0
    for name, reference, distorted in pairs(options, folder):
        text = subprocess.run([options.ffmpeg, "-hide_banner", "-i", reference, "-i", distorted, "-lavfi", "[0:v][1:v]xpsnr", "-f", "null", "-"], capture_output=True, text=True).stderr
        theirs = re.search(r"XPSNR\s+y:\s*(\S+)\s+u:\s*(\S+)\s+v:\s*(\S+)", text)
        if not theirs:
            sys.exit(f"{options.ffmpeg} gave no XPSNR:\n{text}")
        subprocess.run([options.vmaf, "-r", reference, "-d", distorted, "--no_prediction", "--feature", "xpsnr", "--precision", "max", "--json", "-q", "-o", folder / "scores.json"], check=True)
        figures = json.loads((folder / "scores.json").read_text())["aggregate_metrics"]
        both = list(zip((figures[f"axpsnr_{p}"] for p in ("y", "cb", "cr")), map(float, theirs.groups())))
        if name == "odd, 4:2:0":
            both = both[:1]
        difference = max(abs(a - b) for a, b in both)
        worst = max(worst, difference)
        print(f"{name:34} {' '.join(f'{a:9.4f}' for a, _ in both):30} FFmpeg {' '.join(f'{b:9.4f}' for _, b in both):30} {difference:.6f}")
    print(f"largest difference {worst:.6f}")
    return 1 if worst > 0.51 * LAST_DIGIT else 0


if __name__ == "__main__":
    sys.exit(main())
