#!/usr/bin/env python3
"""Precision and recall of the shot detector on clips that it was not tuned on: filmed and generated pieces, joined with known cuts, fades
through black and white, flashes, pans, zooms and handheld shake.

  shot_accuracy.py VMAF_TUNE [--natural FOLDER] [--work FOLDER] [--seeds N]
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tune_clips  # noqa: E402

PIECE = 32  # frames; shots have at least 24
TOLERANCE = 4  # frames that a boundary may be off; half of a fade's dark part
MOVES = {  # camera moves over a piece
    "still": "null",
    "pan": "crop=iw*0.7:ih*0.9:(iw*0.3)*n/%d:ih*0.05" % PIECE,
    "tilt": "crop=iw*0.9:ih*0.7:iw*0.05:(ih*0.3)*n/%d" % PIECE,
    "shake": "crop=iw*0.85:ih*0.85:iw*0.07*(1+sin(n*1.7)):ih*0.07*(1+cos(n*2.3))",
}
FLASH = "eq=brightness='if(eq(n,12)+eq(n,20)+eq(n,21),0.6,0)':eval=frame"


def compose(folder, clips, seed):
    """A film and the first frame number of each shot."""
    chance = random.Random(seed)
    names = []
    for name in chance.sample(sorted(clips), len(clips)):  # each from another video: looks of one video may be the same shot
        if len(names) < 4 and not any(name.split("-")[0] == other.split("-")[0] for other in names):
            names.append(name)
    path = folder / f"film-{seed}.mkv"
    size = tune_clips.SIZE.replace("x", ":")
    parts, want = [], []
    fade = None
    for i, name in enumerate(names):
        chain = [f"trim=end_frame={PIECE}", "setpts=PTS-STARTPTS", MOVES[chance.choice(sorted(MOVES))], f"scale={size}", "setsar=1", "fps=25", "format=yuv420p"]
        if chance.random() < 0.3:
            chain.append(FLASH)
        if fade:  # the second half of the fade that ended the previous piece
            chain.append(f"fade=in:0:10:color={fade}")
        fade = chance.choice(["black", "white"]) if chance.random() < 0.3 and i + 1 < len(names) else None
        if fade:
            chain.append(f"fade=out:{PIECE - 10}:10:color={fade}")
        parts.append(f"[{i}:v]{','.join(chain)}[p{i}]")
        if i:
            want.append(i * PIECE)
    graph = ";".join(parts) + ";" + "".join(f"[p{i}]" for i in range(len(names))) + f"concat=n={len(names)}"
    if not path.exists():
        tune_clips.call(*(word for name in names for word in ("-i", clips[name])), "-filter_complex", graph, "-c:v", "ffv1", path)
    return path, want, names


def found_in(tune, film, cache):
    run = subprocess.run([tune, "predict", "-i", film, "--preset", "ultrafast", "--metric", "psnr", "--target", "30", "--validate-k", "1", "--residual-threshold", "1000",
                          "--cache-dir", cache, "-q"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return [shot["start"] for shot in json.loads(run.stdout)["shots"][1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=os.path.abspath)
    parser.add_argument("--natural", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=12)
    options = parser.parse_args()
    scratch = tempfile.TemporaryDirectory(prefix="shot-accuracy-")
    work = options.work or pathlib.Path(scratch.name)
    clips = tune_clips.make_clips(work / "clips", options.natural)
    clips = {name: path for name, path in clips.items() if tune_clips.seconds_of(path) >= PIECE / 25}
    right = wrong = missed = 0
    for seed in range(1000, 1000 + options.seeds):
        film, want, names = compose(work, clips, seed)
        left = list(want)
        for cut in found_in(options.tune, film, work / "cache"):
            near = [w for w in left if abs(w - cut) <= TOLERANCE]
            right += bool(near)
            wrong += not near
            if near:
                left.remove(near[0])
            else:
                print(f"  {film.name}: {cut} is no cut ({', '.join(names)})")
        for w in left:
            print(f"  {film.name}: {w} missed ({names[w // PIECE - 1]} | {names[w // PIECE]})")
        missed += len(left)
    print(f"{options.seeds} films, {right + missed} cuts and fades: precision {right / max(1, right + wrong):.3f}, recall {right / max(1, right + missed):.3f}")


if __name__ == "__main__":
    main()
