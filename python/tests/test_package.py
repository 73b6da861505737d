"""The package apart from scores."""
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import vmaf_turbo as vt

FRAMES = np.random.default_rng(3).integers(0, 255, (3, 64, 64), dtype=np.uint8)


def test_lists():
    assert "vmaf_v0.6.1" in vt.models()
    assert "psnr" in vt.features()
    assert vt.capabilities()["implementation"] == "vmaf-turbo"
    assert re.match(r"\d+\.\d+", vt.__version__)
    assert set(vt.__all__) <= {*dir(vt), "TorchMetric"}


def test_charts():
    result = vt.vmaf(FRAMES, FRAMES, backend="cpu", features=["psnr"])
    page = result._repr_html_()
    assert "<svg" in page and "psnr_y" in page and page.count("<tr>") == len(result.pooled) + 1
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert [line.get_label() for line in result.plot().lines] == ["vmaf"]
    assert len(result.plot("vmaf", "psnr_y").lines) == 2


def test_tables():
    pytest.importorskip("pandas")
    table = vt.vmaf(FRAMES, FRAMES, backend="cpu").to_pandas()
    assert list(table.index) == [0, 1, 2] and "vmaf" in table.columns


def test_importing_and_files_need_no_numpy():
    code = ("import sys; sys.modules['numpy'] = None\nimport vmaf_turbo as vt\nassert vt.models()\nassert vt.features()\n"
            "from vmaf_turbo._result import Result\ntry: Result({}, []).frames\nexcept ImportError as e: print(e)")
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True,
                         env={**__import__("os").environ, "PYTHONPATH": str(pathlib.Path(vt.__file__).parents[1])})
    assert "rows has the same" in run.stdout


def test_another_libvmaf_is_refused(tmp_path):
    source = tmp_path / "other.c"
    source.write_text("int vmaf_init(void) { return 0; }")
    subprocess.check_call(["cc", "-shared", "-fPIC", "-o", tmp_path / "libvmaf.so.3", source])
    for library, words in ((tmp_path / "libvmaf.so.3", "another libvmaf"), (tmp_path / "none.so", "cannot be loaded")):
        run = subprocess.run([sys.executable, "-c", "import vmaf_turbo"], stderr=subprocess.PIPE, text=True,
                             env={**__import__("os").environ, "PYTHONPATH": str(pathlib.Path(vt.__file__).parents[1]), "VMAF_TURBO_LIBRARY": str(library)})
        assert run.returncode and words in run.stderr


def test_percentiles_are_the_programs(clips):
    raw = ["-w", "160", "-h", "96", "-p", "420", "-b", "8"]
    result = vt.score_files(*(clips.path(160, 96, 12, distort=how) for how in ("none", "dct:40")), features=["psnr"],
                            arguments=[*raw, "--percentiles", "1,5,50,95.5,100", "--xml", "--output", "/no/such/folder/a.xml"])
    for name, pooled in result.document["pooled_metrics"].items():
        assert [result.percentile(p, name) for p in (1, 5, 50, 95.5, 100)] == [pooled[p] for p in ("p1", "p5", "p50", "p95.5", "p100")]
    assert result.percentile(100) == result.pooled["vmaf"].max
    counted = vt.Result({}, [{"frame": i, "x": float(i)} for i in range(100)], ["x"])
    assert [counted.percentile(p) for p in range(100)] == list(range(100))
    for what, words in ((dict(p=101), "0 to 100"), (dict(p=5, name="psnr"), "psnr_y")):
        with pytest.raises(vt.InvalidInput, match=words):
            result.percentile(**what)


def test_a_video_file_and_a_model_with_a_colon_in_its_name(clips, tmp_path):
    if not vt.capabilities()["video_files"]["usable"] or not shutil.which("ffmpeg"):
        pytest.skip("needs ffmpeg, and a build with its libraries")
    raw = clips.path(160, 96, 6)
    video = tmp_path / "clip.mkv"
    subprocess.check_call(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "160x96", "-i", str(raw), "-c:v", "ffv1", str(video)])
    expected = vt.vmaf(*[clips.planes(160, 96, 6)] * 2, backend="cpu").rows
    assert vt.score_files(video, str(video), backend="cpu").rows == expected
    model = shutil.copy(pathlib.Path(__file__).parents[2] / "models/vmaf_v0.6.1.json", tmp_path / "a:b.json")
    assert vt.score_files(video, video, backend="cpu", model=model).rows == expected


def test_typed():
    assert (pathlib.Path(vt.__file__).with_name("py.typed")).exists()


def test_a_metric_of_torchmetrics(monkeypatch):
    """Replaces torchmetrics.Metric by a stand-in if it is not installed."""
    torch = pytest.importorskip("torch")
    try:
        import torchmetrics  # noqa: F401
    except ImportError:
        import types

        class Metric:
            def __init__(self, **kwargs):
                self._defaults = {}
            def add_state(self, name, default, dist_reduce_fx):
                assert dist_reduce_fx == "sum"
                self._defaults[name] = default
                setattr(self, name, default.clone())
            def reset(self):
                for name, default in self._defaults.items():
                    setattr(self, name, default.clone())
        stand_in = types.ModuleType("torchmetrics")
        stand_in.Metric = Metric
        monkeypatch.setitem(sys.modules, "torchmetrics", stand_in)
    metric = vt.TorchMetric(backend="cpu")
    clip = torch.rand(3, 3, 64, 64)
    with pytest.raises(vt.InvalidInput):
        metric.compute()
    metric.update(clip, clip)
    first = float(metric.compute())
    assert first == float(vt.vmaf(clip, clip, backend="cpu"))
    metric.update(torch.zeros(2, 3, 1, 64, 64, dtype=torch.uint8), torch.full((2, 3, 1, 64, 64), 200, dtype=torch.uint8))
    assert float(metric.compute()) < first
    assert int(metric.frames) == 9
    metric.reset()
    assert int(metric.frames) == 0
    with pytest.raises(vt.InvalidInput):
        metric.update(clip, clip[:2])


def test_torch_tensors_score_as_arrays_do():
    torch = pytest.importorskip("torch")
    worse = (FRAMES // 16 * 16).astype(np.uint8)
    expected = vt.vmaf(FRAMES, worse, backend="cpu").rows
    assert vt.vmaf(torch.from_numpy(FRAMES), torch.from_numpy(worse), backend="cpu").rows == expected
    deep = [a.astype(np.int16) * 4 for a in (FRAMES, worse)]
    assert vt.vmaf(*(torch.from_numpy(a) for a in deep), bits=10, backend="cpu").rows == vt.vmaf(*(a.astype(np.uint16) for a in deep), bits=10, backend="cpu").rows
    rgb = np.random.default_rng(5).random((3, 3, 64, 64)).astype(np.float32)
    grad = torch.from_numpy(rgb).requires_grad_()
    half = torch.from_numpy(rgb).bfloat16()  # NumPy does not support it
    assert vt.vmaf(half, half * 0.9, backend="cpu").rows == vt.vmaf(half.float().numpy(), (half * 0.9).float().numpy(), backend="cpu").rows
    assert vt.vmaf(grad, grad * 0.9, backend="cpu", bits=10).rows == vt.vmaf(rgb, (grad * 0.9).detach().numpy(), backend="cpu", bits=10).rows
