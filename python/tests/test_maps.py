"""Maps and regions: arrays give the same as files."""
import numpy as np
import pytest

import vmaf_turbo as vt

RAW = ["-w", "160", "-h", "96", "-p", "400", "-b", "8"]
REGIONS = {"face": (16, 16, 64, 48), "ball": {1: (0, 0, 16, 16), 3: (32, 32, 20, 20)}}


@pytest.fixture()
def luma_files(pair, tmp_path):
    paths = [tmp_path / name for name in ("ref.yuv", "dist.yuv")]
    for path, clip in zip(paths, pair):
        clip.tofile(path)
    return paths


def test_arrays_and_files_agree(pair, luma_files):
    what = dict(features=["psnr"], maps=["vmaf", "psnr_y"], map_cell=32, regions=REGIONS)
    expected = vt.score_files(*luma_files, backend="cpu", arguments=RAW, **what)
    for threads in (0, 3):
        result = vt.vmaf(*pair, threads=threads, **what)
        assert result.rows == expected.rows and result.pooled == expected.pooled
        assert result.map_edges == expected.map_edges == ([0, 32, 64, 96, 128, 160], [0, 32, 64, 96])
        for name in ("vmaf", "psnr_y"):
            assert result.maps[name].shape == (6, 3, 5) and result.maps[name].dtype == np.float32
            assert np.array_equal(result.maps[name], expected.maps[name])
    assert "vmaf_face" in result.pooled and "psnr_y_ball" not in result.rows[0] and "psnr_y_ball" in result.rows[3]
    assert result.backend_used == "cpu"


def test_a_map_shows_where_the_damage_is():
    ref = np.random.default_rng(1).integers(16, 235, (4, 256, 256), np.uint8)
    dist = ref.copy()
    dist[:, 128:224, 64:160] = 128
    cells = vt.vmaf(ref, dist, maps=True, map_cell=32).maps["vmaf"].mean(axis=0)
    row, column = np.unravel_index(cells.argmin(), cells.shape)
    assert 4 <= row <= 6 and 2 <= column <= 4


@pytest.mark.parametrize("what, words", [
    (dict(maps=True, model=None, features=["psnr"]), "first model"),
    (dict(maps=["psnr_z"]), "psnr_z"),
    (dict(maps=True, map_cell=20), "multiple of 16"),
    (dict(regions={"face": (0, 0, 16)}), "width, height"),
    (dict(regions={"face": (100, 0, 100, 16)}), "not inside"),
    (dict(regions={"a b": (0, 0, 16, 16)}), "cannot name"),
])
def test_what_cannot_be(pair, what, words):
    with pytest.raises(vt.InvalidInput, match=words):
        vt.vmaf(*pair, **{"backend": "cpu", **what})
