#!/usr/bin/env python3
"""Does a map find damage? In generated cases one block of a clip is blurred, noisy, blocky, or shifted by two pixels. Counts in how many
the worst cell is in the damage, and in how many 90 % of the excess of (100 - score) is within one cell of it.

    bench/map_damage.py --vmaf build/tools/vmaf --clipgen build/tools/clipgen [--cases 100]
"""
import argparse
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, FRAMES, CELL = 640, 352, 2, 32
FRAME = 6 + WIDTH * HEIGHT * 3 // 2


def damage(luma, kind, x0, y0, w, h, rng):
    """`luma` with one damaged block."""
    out = bytearray(luma)
    at = lambda x, y: luma[min(max(y, 0), HEIGHT - 1) * WIDTH + min(max(x, 0), WIDTH - 1)]
    for y in range(y0, y0 + h):
        for x in range(x0, x0 + w):
            if kind == "blur":
                value = sum(at(x + i, y + k) for i in (-3, 0, 3) for k in (-3, 0, 3)) // 9
            elif kind == "noise":
                value = at(x, y) + rng.randint(-24, 24)
            elif kind == "blocks":
                bx, by = x // 8 * 8, y // 8 * 8
                value = (at(bx, by) + at(bx + 7, by) + at(bx, by + 7) + at(bx + 7, by + 7)) // 4
            else:
                value = at(x + 2, y)
            out[y * WIDTH + x] = min(max(value, 0), 255)
    return out


def cells(vmaf, ref, dist, path):
    """Scores of cells, [frame][row][column]."""
    subprocess.check_call([vmaf, "-r", ref, "-d", dist, "--map", path, "--map-cell", str(CELL), "--backend", "cpu", "-q"],
                          stderr=subprocess.DEVNULL)
    data = pathlib.Path(path).read_bytes()
    rows, columns = HEIGHT // CELL, WIDTH // CELL
    values = struct.unpack(f"<{FRAMES * rows * columns}f", data[128:])
    return [[[values[(f * rows + r) * columns + c] for c in range(columns)] for r in range(rows)] for f in range(FRAMES)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vmaf", required=True)
    parser.add_argument("--clipgen", required=True)
    parser.add_argument("--cases", type=int, default=100)
    options = parser.parse_args()
    rng = random.Random(1)
    found = local = 0
    with tempfile.TemporaryDirectory() as folder:
        ref, base, dist, path = (f"{folder}/{name}" for name in ("ref.y4m", "base.y4m", "dist.y4m", "map.npy"))
        made = [options.clipgen, "--size", f"{WIDTH}x{HEIGHT}", "--frames", str(FRAMES), "--scene", "street"]
        subprocess.check_call([*made, ref])
        subprocess.check_call([*made, "--distort", "dct:24", base])
        whole = cells(options.vmaf, ref, base, path)
        header, frames = pathlib.Path(base).read_bytes().split(b"\n", 1)
        for case in range(options.cases):
            kind = ("blur", "noise", "blocks", "shift")[case % 4]
            w, h = rng.randint(96, 160), rng.randint(96, 160)
            x, y = rng.randint(0, WIDTH - w), rng.randint(0, HEIGHT - h)
            out = bytearray(header + b"\n")
            for f in range(FRAMES):
                frame = frames[f * FRAME:(f + 1) * FRAME]
                out += frame[:6] + damage(frame[6:6 + WIDTH * HEIGHT], kind, x, y, w, h, rng) + frame[6 + WIDTH * HEIGHT:]
            pathlib.Path(dist).write_bytes(out)
            scores = cells(options.vmaf, ref, dist, path)
            inside = lambda c, r, margin: (c * CELL < x + w + margin and (c + 1) * CELL > x - margin and
                                           r * CELL < y + h + margin and (r + 1) * CELL > y - margin)
            worst = min((scores[1][r][c], r, c) for r in range(HEIGHT // CELL) for c in range(WIDTH // CELL))
            found += inside(worst[2], worst[1], 0)
            total = near = 0.0
            for r in range(HEIGHT // CELL):
                for c in range(WIDTH // CELL):
                    excess = max(whole[1][r][c] - scores[1][r][c], 0)
                    total += excess
                    near += excess if inside(c, r, CELL) else 0
            local += near >= 0.9 * total
    print(f"worst cell in the damage: {found} of {options.cases}; 90 % of the excess within one cell of it: {local} of {options.cases}")
    return 0 if min(found, local) >= 0.97 * options.cases else 1


if __name__ == "__main__":
    sys.exit(main())
