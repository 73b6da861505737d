"""Short clips on which answers of vmaf-tune are checked: cut from videos of a folder, and made by FFmpeg's generators and by clipgen.

Three sets: slopes and intervals are taken from the first and tried on the second ("held out"), which was looked at while limits of probes were chosen. Nothing
was ever chosen with the third ("unseen") in view: other looks and cuts, other generators, scenes and seeds.
"""

import pathlib
import subprocess

SIZE = "320x180"
# Changes to filmed clips, so that one video gives several kinds of content.
LOOKS = {
    "fit": {"plain": "", "close": "crop=iw/3:ih/3,", "grain": "noise=alls=14:allf=t,", "dark": "eq=brightness=-0.25:contrast=0.7,", "soft": "gblur=sigma=2,",
            "quick": "setpts=PTS/3,"},
    "held out": {"turned": "transpose=1,", "sharp": "unsharp=7:7:1.2,", "fade": "fade=in:0:24,", "bright": "eq=brightness=0.1:saturation=1.6:gamma=1.3,",
                 "corner": "crop=iw/2:ih/2:0:0,", "dust": "noise=alls=6:allf=t+u,", "still": "select=eq(n\\,0),loop=47:1,noise=alls=4:allf=t,"},
    "unseen": {"mirror": "hflip,vignette=PI/4,", "zoom": "zoompan=z='1+0.01*on':d=1:s=640x360:fps=25,", "colourless": "hue=s=0,eq=contrast=1.4,", "blocks": "pixelize=w=6:h=6,",
               "negative": "negate,crop=iw*0.6:ih*0.6:iw*0.4:ih*0.4,", "echo": "tmix=frames=4,"},
}
GENERATED = {
    "fit": {
        "test": "testsrc2=s={size}:r=25",
        "fractal": "mandelbrot=s={size}:r=25:start_scale=0.3:end_pts=300",
        "cells": "life=s=80x45:mold=10:r=25:ratio=0.1:death_color=#302040:life_color=#ffd080:seed=7,scale={size}:flags=bicubic,gblur=sigma=1.5",
        "noise": "color=gray:s={size}:r=25,noise=alls=35:allf=t,gblur=sigma=1.2",
        "gradient": "gradients=s={size}:r=25:seed=3:speed=0.02",
        "carpet": "sierpinski=s={size}:r=25:seed=5:jump=4",
        "bars": "smptehdbars=s={size}:r=25,rotate=t/3",
    },
    "held out": {
        "coast": "mandelbrot=s={size}:r=25:start_x=-0.75:start_y=0.1:start_scale=0.02:end_scale=0.015:end_pts=200",
        "rain": "color=#405060:s={size}:r=25,noise=alls=50:allf=t,gblur=sigma=0.8:sigmaV=4,eq=contrast=0.6",
        "automaton": "cellauto=s=160x90:r=25:rule=110:seed=9,scale={size}:flags=bicubic,gblur=sigma=1",
        "sky": "gradients=s={size}:r=25:seed=11:speed=0.01,noise=alls=5:allf=t",
    },
    "unseen": {
        "clock": "testsrc=s={size}:r=25,rotate=t/2:c=gray",
        "waves": "nullsrc=s={size}:r=25,format=yuv420p,geq=lum='128+60*sin((X+3*N)/9)*cos((Y-N)/7)+20*sin(X*Y/900)':cb='128+40*sin((X-2*N)/31)':cr='128+40*cos((Y+N)/23)'",
        "colony": "life=s=160x90:mold=4:r=25:ratio=0.3:death_color=#104020:life_color=#ffffff:seed=41,scale={size}:flags=bilinear",
        "spiral": "mandelbrot=s={size}:r=25:start_x=-1.25:start_y=0.02:start_scale=0.05:end_scale=0.01:end_pts=120",
        "snow": "gradients=s={size}:r=25:seed=29:speed=0.03,noise=alls=18:allf=t,gblur=sigma=0.6",
    },
}
STREETS = {"held out": {"street": ("street", 1), "lane": ("street", 5), "alley": ("street", 9), "corners": ("cut", 4)},
           "unseen": {"square": ("street", 101), "yard": ("street", 202), "passages": ("cut", 303), "dusk": ("gradient", 404)}}

def call(*words):
    subprocess.run(["ffmpeg", "-hide_banner", "-nostdin", "-v", "error", "-y", *map(str, words)], check=True)


def store(path, inputs, chain, frames):
    if not path.exists():
        call(*inputs, "-vf", chain, "-frames:v", frames, "-an", "-r", 25, "-pix_fmt", "yuv420p", "-c:v", "ffv1", path)
    return path


def seconds_of(video):
    answer = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", video], capture_output=True, text=True)
    return float(answer.stdout.strip() or 0) if answer.returncode == 0 else 0


def make_clips(folder, natural, clipgen=None, which="fit", frames=48):
    """Name -> path. `natural`: a folder with videos, or None."""
    folder.mkdir(parents=True, exist_ok=True)
    width, height = SIZE.split("x")
    clips = {}
    videos = sorted(p for p in natural.iterdir() if p.suffix in (".mp4", ".mkv", ".mov", ".webm")) if natural else []
    for video in videos:
        length = seconds_of(video)
        looks = LOOKS[which]
        for i, (look, chain) in enumerate(looks.items()):
            start = max(0.0, (length - frames / 20) * i / max(1, len(looks) - 1))
            if look == "quick":
                start = min(start, max(0.0, length - 3 * frames / 25))
            scaled = f"{chain}scale={width}:{height}:force_original_aspect_ratio=increase,crop={width}:{height},setsar=1,settb=1/25,setpts=N"
            name = f"{video.stem}-{look}"
            clips[name] = store(folder / f"{name}.mkv", ["-ss", f"{start:.2f}", "-i", video], scaled, frames)
    for name, graph in GENERATED[which].items():
        try:
            clips[name] = store(folder / f"{name}.mkv", ["-f", "lavfi", "-i", graph.format(size=SIZE)], "null", frames)
        except subprocess.CalledProcessError:  # an older FFmpeg lacks this generator
            pathlib.Path(folder / f"{name}.mkv").unlink(missing_ok=True)
    if clipgen:
        for name, (scene, seed) in STREETS.get(which, {}).items():
            plain = folder / f"{name}.y4m"
            if not plain.exists():
                subprocess.run([clipgen, "--size", SIZE, "--frames", str(frames), "--format", "420", "--depth", "8", "--scene", scene, "--seed", str(seed), str(plain)], check=True)
            clips[name] = store(folder / f"{name}.mkv", ["-i", plain], "settb=1/25,setpts=N", frames)
    return clips
