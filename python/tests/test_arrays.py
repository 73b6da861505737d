"""Arrays get the same scores as files, in every digit."""
import numpy as np
import pytest

import vmaf_turbo as vt

RAW = ["-w", "160", "-h", "96"]


def raw(form, depth):
    return [*RAW, "-p", form, "-b", str(depth)]


@pytest.mark.parametrize("form", ["420", "422", "444"])
@pytest.mark.parametrize("depth", [8, 10, 12, 16])
def test_planar_yuv_of_every_format_and_depth(clips, form, depth):
    what = dict(form=form, depth=depth)
    features = ["psnr", "float_ssim", "ciede"] if depth <= 12 else ["psnr", "float_ssim"]
    options = dict(features=features, backend="cpu", model=None if depth > 12 else "vmaf_v0.6.1")
    expected = vt.score_files(*(clips.path(160, 96, 6, distort=how, **what) for how in ("none", "dct:40")), arguments=raw(form, depth), **options)
    for threads in (0, 3):
        result = vt.vmaf(*(clips.planes(160, 96, 6, distort=how, **what) for how in ("none", "dct:40")), bits=None if depth == 8 else depth, threads=threads, **options)
        assert result.rows == expected.rows
        assert result.pooled == expected.pooled
        assert result.names == expected.names


def test_luma_alone(pair):
    result = vt.vmaf(*pair, backend="cpu", features=["psnr"])
    assert set(result.pooled) >= {"vmaf", "psnr_y", "integer_adm2", "integer_motion2"}
    assert float(result) == result.pooled["vmaf"].mean
    assert 0 < float(result) < 100
    assert result.backend_used == "cpu"


def test_one_frame_at_a_time_and_stacks_are_the_same(pair):
    expected = vt.vmaf(*pair, backend="cpu")
    ref, dist = pair
    with vt.Scorer(160, 96, backend="cpu", threads=2) as scorer:
        scorer.push(ref[0], dist[0])
        scorer.push(ref[1:4], dist[1:4])
        for r, d in zip(ref[4:], dist[4:]):
            scorer.push(r, d)
        assert scorer.frames == 6
        assert scorer.finish().rows == expected.rows


@pytest.mark.parametrize("change", [lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, axis=2)[:, :, ::2], lambda a: a[:, ::-1][:, ::-1],
                                    lambda a: np.pad(a, ((0, 0), (3, 5), (7, 9)))[:, 3:-5, 7:-9], lambda a: a.copy().tolist() and a],
                         ids=["columns first", "every second sample", "twice upside down", "part of a larger one", "plain"])
def test_any_strides(pair, change):
    expected = vt.vmaf(*pair, backend="cpu")
    assert vt.vmaf(*(change(a) for a in pair), backend="cpu").rows == expected.rows


def test_broadcast_arrays_and_read_only_ones(pair):
    for shown in (lambda a: np.broadcast_to(a[:1], a.shape), lambda a: np.broadcast_to(a[:, :1], a.shape), lambda a: np.broadcast_to(a[:, :, :1], a.shape)):
        seen = [shown(a) for a in pair]
        assert not seen[0].flags.writeable
        assert vt.vmaf(*seen, backend="cpu").rows == vt.vmaf(*(a.copy() for a in seen), backend="cpu").rows


def test_chroma_of_odd_sizes_may_be_rounded_up(pair):
    ref, dist = (a[:, :95, :159] for a in pair)
    down, up = (tuple((a, a[:, :h, :w], a[:, :h, :w]) for a in (ref, dist)) for h, w in ((47, 79), (48, 80)))
    assert vt.vmaf(*up, features=["psnr"], backend="cpu").rows == vt.vmaf(*down, features=["psnr"], backend="cpu").rows


def test_upside_down_is_another_picture_but_the_same_for_both(pair):
    flipped = vt.vmaf(*(a[:, ::-1] for a in pair), backend="cpu")
    copied = vt.vmaf(*(a[:, ::-1].copy() for a in pair), backend="cpu")
    assert flipped.rows == copied.rows


def test_arrays_may_be_changed_after_push(pair):
    expected = vt.vmaf(*pair, backend="cpu")
    with vt.Scorer(160, 96, backend="cpu", threads=3) as scorer:
        for r, d in zip(*pair):
            r, d = r.copy(), d.copy()
            scorer.push(r, d)
            r[:], d[:] = 0, 255
        assert scorer.finish().rows == expected.rows


def test_dlpack_alone_is_enough(pair):
    class OnlyDlpack:
        def __init__(self, array):
            self.array, self.shape = array, array.shape
        def __dlpack__(self):
            return self.array.__dlpack__()
        def __dlpack_device__(self):
            return self.array.__dlpack_device__()
    writable = [a.copy() for a in pair]  # NumPy 1 exports nothing else
    assert vt.vmaf(*(OnlyDlpack(a) for a in writable), backend="cpu").rows == vt.vmaf(*pair, backend="cpu").rows


@pytest.mark.parametrize("exports", ["__array_interface__", "__dlpack__"])
@pytest.mark.parametrize("change", [lambda a: a.copy(), np.asfortranarray, lambda a: a[:, ::-1].copy()[:, ::-1]], ids=["plain", "columns first", "upside down"])
def test_arrays_of_unknown_libraries_need_no_shape(pair, exports, change):
    class Foreign:
        def __init__(self, array):
            self.array = array
    if exports == "__dlpack__":
        Foreign.__dlpack__ = lambda self, **_: self.array.__dlpack__()
        Foreign.__dlpack_device__ = lambda self: self.array.__dlpack_device__()
    else:
        Foreign.__array_interface__ = property(lambda self: self.array.__array_interface__)
    assert vt.vmaf(*(Foreign(change(a)) for a in pair), backend="cpu").rows == vt.vmaf(*pair, backend="cpu").rows
    rgb = [np.stack([a] * 3, -1) for a in pair]
    assert vt.vmaf(*(Foreign(change(a)) for a in rgb), backend="cpu").rows == vt.vmaf(*(change(a) for a in rgb), backend="cpu").rows


def test_subclasses_of_arrays_are_arrays(pair):
    class Tagged(np.ndarray):
        pass
    Tagged.__module__ = "somewhere.else"
    rgb = [np.stack([a] * 3, -1) for a in pair]
    for clips in (pair, rgb):
        assert vt.vmaf(*(a.view(Tagged) for a in clips), backend="cpu").rows == vt.vmaf(*clips, backend="cpu").rows


def test_frames_are_a_record_array(pair):
    frames = vt.vmaf(*pair, backend="cpu").frames
    assert isinstance(frames, np.recarray) and len(frames) == 6
    assert frames.frame.tolist() == list(range(6))
    assert frames.vmaf.dtype == np.float64


def test_options_models_and_subsampling(pair):
    ref, dist = pair
    with vt.Scorer(160, 96, model={"hd": "vmaf_v0.6.1", "neg": "vmaf_v0.6.1neg"}, features={"psnr": {"enable_mse": True}}, subsample=2, backend="cpu") as scorer:
        scorer.push(ref, dist)
        result = scorer.finish()
    assert {"hd", "neg", "psnr_y"} <= set(result.pooled)
    assert [row["frame"] for row in result.rows if "hd" in row] == [0, 2, 4]
    bootstrap = vt.vmaf(ref, dist, model="vmaf_b_v0.6.3", backend="cpu")
    assert {"vmaf", "vmaf_bagging", "vmaf_ci_p95_lo"} <= set(bootstrap.pooled)
