"""Arrays on a GPU: scores of the CPU, speed, no pictures brought to the host, no races. For a machine with a GPU.

    VMAF_TURBO_LIBRARY=build/src/libvmaf.so.3 python3 python/tests/gpu_check.py [FRAMES PER SECOND TO COMPARE WITH]
"""
import ctypes
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import vmaf_turbo as vt  # noqa: E402
from vmaf_turbo import _library as lib  # noqa: E402

failures = []


def check(what, is_right, detail=""):
    print(f"{'ok    ' if is_right else 'FAILED'} {what} {detail}", flush=True)
    if not is_right:
        failures.append(what)


def clip(frames, height, width, seed, top=256, dtype=np.uint8):
    random = np.random.default_rng(seed)
    coarse = random.random((frames, height // 8 + 1, width // 8 + 1)).repeat(8, 1).repeat(8, 2)[:, :height, :width]
    return np.clip(coarse * top + random.normal(0, top / 64, coarse.shape), 0, top - 1).astype(dtype)


def worse(array):
    return (array // 12 * 12).astype(array.dtype)


def expected(ref, dist, **what):
    return vt.vmaf(ref, dist, backend="cpu", **what).rows


def libraries():
    """(name, from NumPy to the GPU)"""
    found = []
    try:
        import torch
        found.append((f"torch {torch.__version__}", lambda a: torch.from_numpy(a.view(np.int16) if a.dtype == np.uint16 else a).cuda()))
    except Exception as problem:
        print("no torch:", problem)
    try:
        import cupy
        found.append((f"cupy {cupy.__version__}", cupy.asarray))
    except Exception as problem:
        print("no cupy:", problem)
    try:
        import jax
        found.append((f"jax {jax.__version__}", jax.device_put))
    except Exception as problem:
        print("no jax:", problem)
    return found


def test_equality():
    luma = clip(9, 270, 480, 1)
    chroma = [clip(9, 135, 240, seed) for seed in (2, 3)]
    yuv = (luma, *chroma)
    deep = tuple(clip(5, 270, 480, seed, 1024, np.uint16) for seed in (4, 5, 6))
    rgb = np.random.default_rng(7).random((5, 3, 64, 96)).astype(np.float32)
    odd = clip(5, 101, 131, 8)
    for name, up in libraries():
        for what, ref, dist, options in (("luma", luma, worse(luma), {}), ("planar 4:2:0", yuv, tuple(map(worse, yuv)), {"features": ["psnr", "ciede"]}),
                                         ("10 bits 4:4:4", deep, tuple(map(worse, deep)), {"bits": 10, "features": ["psnr", "cambi"]}),
                                         ("odd size", odd, worse(odd), {}), ("RGB", rgb, rgb * np.float32(0.9), {"features": ["psnr"]}),
                                         ("10-bit RGB", rgb, rgb * np.float32(0.9), {"bits": 10, "chroma": "444"})):
            on_gpu = [tuple(map(up, a)) if isinstance(a, tuple) else up(a) for a in (ref, dist)]
            try:
                rows = vt.vmaf(*on_gpu, backend="cuda", **options).rows
            except Exception as problem:
                check(f"{name}: {what}", False, repr(problem))
                continue
            wanted = expected(ref, dist, **options)
            is_single = name.startswith("jax") and "RGB" in what
            close = all(abs(row[key] - want[key]) < 1e-2 for row, want in zip(rows, wanted) for key in want)
            check(f"{name}: {what}", rows == wanted or is_single and close, "single precision, close" if rows != wanted and close else "")


class Interface:
    """A GPU array of a library with `__cuda_array_interface__` and nothing else."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


def test_interface_alone():
    frames = clip(5, 270, 480, 31)
    rgb = np.random.default_rng(32).random((3, 3, 64, 96)).astype(np.float32)
    for name, up in libraries():
        if name.startswith("jax"):
            continue
        whole, half = slice(None), (slice(None), slice(None), slice(None, None, 2))
        for what, ref, dist, part in (("luma", frames, worse(frames), whole), ("every second column", frames, worse(frames), half),
                                      ("RGB", rgb, rgb * np.float32(0.9), whole)):
            wanted = expected(ref[part], dist[part])
            try:
                is_right = vt.vmaf(Interface(up(ref)[part]), Interface(up(dist)[part]), backend="cuda").rows == wanted
            except Exception as problem:
                is_right = repr(problem)
            check(f"{name}, __cuda_array_interface__ alone: {what}", is_right is True, "" if is_right is True else str(is_right))


def torchmetrics_process(rank, folder):
    """One of two processes that share the states of a metric."""
    import torch
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    clips = [torch.from_numpy(a) for a in (clip(6, 128, 160, 41)[:, None], worse(clip(6, 128, 160, 41))[:, None])]
    metric = vt.TorchMetric(backend="cpu")
    part = slice(0, 2) if rank == 0 else slice(2, 6)
    metric.update(clips[1][part], clips[0][part])
    pathlib.Path(folder, f"score{rank}").write_text(repr(float(metric.compute())))
    torch.distributed.destroy_process_group()


def test_torchmetrics():
    import tempfile

    import torch
    try:
        import torchmetrics
    except ImportError as problem:
        print("no torchmetrics:", problem)
        return
    ref, dist = clip(6, 128, 160, 41)[:, None], worse(clip(6, 128, 160, 41))[:, None]
    single = float(np.mean([float(vt.vmaf(ref[p, 0], dist[p, 0], backend="cpu")) * n for p, n in ((slice(0, 2), 2), (slice(2, 6), 4))]) / 3)
    for backend, up in (("cpu", torch.from_numpy), ("cuda", lambda a: torch.from_numpy(a).cuda())):
        metric = vt.TorchMetric(backend=backend)
        if backend == "cuda":
            metric = metric.to("cuda")
        for part in (slice(0, 2), slice(2, 6)):
            metric.update(up(dist[part]), up(ref[part]))
        check(f"torchmetrics {torchmetrics.__version__}, {backend}", abs(float(metric.compute()) - single) < 1e-9)
        metric.reset()
        check(f"reset, {backend}", int(metric.frames) == 0)
        collection = torchmetrics.MetricCollection({"vmaf": vt.TorchMetric(backend=backend)})
        collection.update(up(dist), up(ref))
        check(f"in a collection, {backend}", float(collection.compute()["vmaf"]) == float(vt.vmaf(ref[:, 0], dist[:, 0], backend="cpu")))
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(torchmetrics_process, args=(folder,), nprocs=2)
        scores = [float(pathlib.Path(folder, f"score{rank}").read_text()) for rank in (0, 1)]
        check("two processes add up their states", all(abs(score - single) < 1e-9 for score in scores), scores)


def test_races():
    """Tensors overwritten as soon as push returns, 1000 times, in both forms."""
    import torch
    frames = clip(8, 270, 480, 11)
    other = worse(frames)
    order = np.random.default_rng(12).integers(0, 8, 1000)
    wanted = expected(frames[order], other[order])
    stored = [torch.from_numpy(a).cuda() for a in (frames, other)]
    for form in ("push returns when read", "stream waits", "stream of its own waits"):
        ref, dist = torch.empty_like(stored[0][0]), torch.empty_like(stored[1][0])
        stream = torch.cuda.Stream() if "own" in form else torch.cuda.current_stream()
        with vt.Scorer(480, 270, backend="cuda") as scorer, torch.cuda.stream(stream):
            for i in order:
                ref.copy_(stored[0][int(i)])
                dist.copy_(stored[1][int(i)])
                scorer.push(ref, dist, stream=None if "returns" in form else stream)
                ref.fill_(255)
                dist.zero_()
            check(f"race, {form}", scorer.finish().rows == wanted)


def test_speed(reference):
    import torch
    stack = [torch.from_numpy(a).cuda() for a in (clip(32, 1080, 1920, 21), clip(32, 1080, 1920, 22))]
    for form in ("push returns when read", "stream waits"):
        best = 0.0
        for _ in range(3):
            with vt.Scorer(1920, 1080, backend="cuda", threads=0) as scorer:
                scorer.push(*(s[:4] for s in stack))
                before = time.perf_counter()
                rounds = 190
                for _ in range(rounds):
                    scorer.push(*stack, stream=torch.cuda.current_stream() if "waits" in form else None)
                lib.call("vmaf_read_pictures", scorer._context, None, None, 0)
                best = max(best, rounds * 32 / (time.perf_counter() - before))
                device = lib.Device(size=ctypes.sizeof(lib.Device))
                lib.call("vmaf_turbo_device", scorer._context, ctypes.byref(device))
                name, large, small = scorer.device_name, device.large_copies, device.small_copies
        print(f"       1920x1080 stacks of 32, {form}: {best:.0f} frames/s on {name}", f"({best / reference:.0%} of {reference:.0f})" if reference else "")
        check(f"no picture brought to the host, {form}", large == 0, f"{small} small copies, {large} of 64 KiB or more")
        if reference:
            check(f"at least 90 % of the C API, {form}", best >= 0.9 * reference)


def test_refusals():
    import torch
    frame = torch.zeros(64, 64, dtype=torch.uint8).cuda()
    try:
        vt.vmaf(frame, frame, backend="cpu")
        check("the CPU refuses GPU arrays", False)
    except vt.InvalidInput as problem:
        check("the CPU refuses GPU arrays", "on GPU 0" in str(problem))
    try:
        vt.Scorer(64, 64, backend="cuda", device=99)
        check("no such device", False)
    except vt.BackendUnavailable as problem:
        check("no such device", "no device 99" in str(problem))


if __name__ == "__main__":
    reference = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    test_equality()
    test_interface_alone()
    test_torchmetrics()
    test_races()
    test_speed(reference)
    test_refusals()
    sys.exit(f"{len(failures)} FAILED" if failures else 0)
