"""RGB conversion follows the definition in _colour.py."""
import shutil
import subprocess

import numpy as np
import pytest

import vmaf_turbo as vt
from vmaf_turbo._colour import yuv_from_rgb


@pytest.fixture()
def rgb():
    random = np.random.default_rng(1)
    smooth = random.random((2, 6, 8, 3)).repeat(16, 1).repeat(20, 2)
    return np.clip(smooth * 255 + random.normal(0, 3, smooth.shape), 0, 255).astype(np.uint8)  # (2, 96, 160, 3)


def exact(rgb, full, bits):
    """The same in integers."""
    from fractions import Fraction as F
    r, g, b = (F(int(v), full) for v in rgb)
    y = F(2126, 10000) * r + F(7152, 10000) * g + F(722, 10000) * b
    s = 2 ** (bits - 8)
    return [int((s * (16 + 219 * y) + F(1, 2)) // 1), int((s * (128 + 224 * (b - y) / F(18556, 10000)) + F(1, 2)) // 1),
            int((s * (128 + 224 * (r - y) / F(15748, 10000)) + F(1, 2)) // 1)]


@pytest.mark.parametrize("dtype,bits", [(np.uint8, 8), (np.uint8, 10), (np.uint16, 10), (np.uint16, 16)])
def test_samples_are_those_of_exact_arithmetic(dtype, bits):
    full = np.iinfo(dtype).max
    colours = np.random.default_rng(2).integers(0, full, (300, 3), dtype=dtype, endpoint=True)
    colours[:8] = [[full * (i >> k & 1) for k in range(3)] for i in range(8)]
    planes = yuv_from_rgb(colours[None, :, None], "u1" if dtype == np.uint8 else "u2", -1, "444", bits)
    assert [p.dtype.itemsize for p in planes] == [1 if bits == 8 else 2] * 3
    for i, colour in enumerate(colours):
        assert [int(p[0, i, 0]) for p in planes] == exact(colour, int(full), bits)


def test_black_white_and_grey():
    for level, luma in ((0.0, 16), (1.0, 235), (0.5, 126), (7.0, 235), (-1.0, 16)):  # values outside 0..1 are clamped
        y, cb, cr = yuv_from_rgb(np.full((1, 2, 2, 3), level), "f8", -1, "420", 8)
        assert (y == luma).all() and (cb == 128).all() and (cr == 128).all()


def test_every_layout_and_type_is_the_same_picture(rgb):
    worse = (rgb // 16 * 16).astype(np.uint8)
    expected = vt.vmaf(rgb, worse, features=["psnr"], backend="cpu")
    assert set(expected.pooled) >= {"vmaf", "psnr_cb"}
    for change in (lambda a: np.ascontiguousarray(a.transpose(0, 3, 1, 2)), lambda a: a.astype(np.uint16) * 257, lambda a: a / 255.0):
        assert vt.vmaf(change(rgb), change(worse), features=["psnr"], backend="cpu").rows == expected.rows
    with vt.Scorer(160, 96, features=["psnr"], backend="cpu") as scorer:
        for r, d in zip(rgb, worse):
            scorer.push(r, d)
        assert scorer.finish().rows == expected.rows


def test_depth_and_chroma_can_be_asked_for(rgb):
    for bits, chroma in ((10, "420"), (8, "444"), (12, "422")):
        planes = yuv_from_rgb(rgb, "u1", -1, chroma, bits)
        direct = vt.vmaf(tuple(planes), tuple(planes), bits=None if bits == 8 else bits, features=["psnr"], backend="cpu")
        assert vt.vmaf(rgb, rgb, bits=bits, chroma=chroma, features=["psnr"], backend="cpu").rows == direct.rows


def filtered(rgb, graph, pix_fmt, source="rgb24", dtype=np.uint8):
    frames, height, width, _ = rgb.shape
    run = subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", source, "-s", f"{width}x{height}", "-i", "-", "-vf", graph + f",format={pix_fmt}",
                          "-f", "rawvideo", "-"], input=rgb.tobytes(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        pytest.skip("this ffmpeg cannot: " + run.stderr.decode()[-200:])
    return np.frombuffer(run.stdout, dtype).astype(int)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="needs ffmpeg")
def test_ffmpeg_is_at_most_one_code_away(rgb):
    ours = np.concatenate([np.concatenate([p[i].ravel() for p in yuv_from_rgb(rgb, "u1", -1, "444", 8)]) for i in range(2)]).astype(int)
    theirs = filtered(rgb, "scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp:out_color_matrix=bt709:out_range=limited", "yuv444p")
    assert abs(ours - theirs).max() <= 1


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="needs ffmpeg")
@pytest.mark.parametrize("bits", [8, 10, 12, 16])
@pytest.mark.parametrize("deep", [False, True], ids=["uint8", "uint16"])
def test_zimg_is_at_most_one_code_away_at_every_depth(rgb, deep, bits):
    if deep:
        rgb = rgb.astype(np.uint16) * 257
    ours = np.concatenate([np.concatenate([p[i].ravel() for p in yuv_from_rgb(rgb, "u2" if deep else "u1", -1, "444", bits)]) for i in range(2)]).astype(int)
    theirs = filtered(rgb, ("format=gbrp16le" if deep else "format=gbrp") + ",zscale=matrix=709:range=limited:dither=none", "yuv444p" + (f"{bits}le" if bits > 8 else ""),
                      "rgb48le" if deep else "rgb24", np.uint8 if bits == 8 else np.uint16)
    assert abs(ours - theirs).max() <= 1


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="needs ffmpeg")
def test_zimg_sites_chroma_alike(rgb):
    planes = yuv_from_rgb(rgb, "u1", -1, "420", 8)
    theirs = filtered(rgb, "format=gbrp,zscale=matrix=709:range=limited:filter=bilinear:chromal=left:dither=none", "yuv420p").reshape(2, -1)
    inner = slice(2, -2)
    for plane, first in ((1, 96 * 160), (2, 96 * 160 + 48 * 80)):
        other = theirs[:, first:first + 48 * 80].reshape(2, 48, 80)
        assert abs(planes[plane].astype(int) - other)[:, inner, inner].max() <= 1
