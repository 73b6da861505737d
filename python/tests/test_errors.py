"""Every error is an exception with a message, and leaks nothing."""
import os
import threading

import numpy as np
import pytest

import vmaf_turbo as vt

FRAME = np.full((64, 64), 100, np.uint8)


def scorer(**what):
    return vt.Scorer(64, 64, **{"backend": "cpu", "threads": 0, **what})


@pytest.mark.parametrize("what,words", [
    (dict(model="no_such_model"), "no_such_model"), (dict(model="/no/such/model.json"), "/no/such/model.json"), (dict(features=["no_such"]), "no_such"),
    (dict(features="psnr"), "give a list"), (dict(features={"psnr": {"enable_chroma": "maybe"}}), "enable_chroma"), (dict(backend="gpu"), "auto, cpu, cuda"),
    (dict(features=[("psnr",)]), "not a feature"), (dict(features=[3]), "not a feature"), (dict(threads=-1), "0 to 4096"), (dict(subsample=0), "at least 1"),
    (dict(backend="cpu", device=0), "turbo.device=0"), (dict(bits=7), "8 to 16"), (dict(chroma="411"), "'400', '420', '422' or '444'"),
    (dict(features={"psnr": {"enable_croma": True}}), "it has enable_chroma"), (dict(features={"psnr": None}), "not a feature"), (dict(features=3), "list of names"),
    (dict(model=3), "not a model"), (dict(model=b"vmaf_v0.6.1"), "not a model"), (dict(model=["vmaf_v0.6.1"] * 2), "twice"), (dict(model=None), "nothing to score"),
    (dict(threads=5000), "0 to 4096"), (dict(threads="auto"), "0 to 4096"), (dict(bits="10"), "8 to 16"), (dict(bits=10.0), "8 to 16"),
    (dict(backend=None), "'auto', 'cpu'"), (dict(device="cuda:0"), "whole number"), (dict(maps=3), "names of scores"), (dict(maps=["psnr"]), "not a score"),
    (dict(maps=True, map_cell=17), "multiple of 16"), (dict(maps=True, map_cell="a"), "whole number"), (dict(regions=[(0, 0, 16, 16)]), "by name"),
    (dict(regions={"a": "0,0,9,9"}), "whole numbers"), (dict(regions={"a": 3}), "whole numbers"), (dict(regions={"a": (0, 0, 9)}), "whole numbers")])
def test_set_up(what, words):
    with pytest.raises(vt.InvalidInput, match=words):
        s = scorer(**what)
        s.push(FRAME, FRAME)  # the first frame looks up the maps' scores


def test_sizes():
    for width, height in ((0, 64), (64, -1), ("64", 64), (64, 64.0), (64, 2**40)):
        with pytest.raises(vt.InvalidInput, match="whole number"):
            vt.Scorer(width, height)
    with pytest.raises(vt.InvalidInput, match="stack frames"):
        vt.vmaf([FRAME] * 3, [FRAME] * 3)


@pytest.mark.parametrize("ref,words", [
    (FRAME[:32], "does not fit"), (FRAME.astype(np.float32), "not supported"), (FRAME.astype(np.uint16), "bits=10"), (FRAME.astype(np.int64), "type int64"), (FRAME > 50, "type bool"),
    (FRAME.astype(object), "type object"), ("a.mkv", "score_files"), ((), "three arrays"), (np.zeros((1, 64, 64, 3), np.int32), "type int32"),
    ((FRAME, FRAME[:31, :31], FRAME[:31, :31]), "do not fit luma"), ((FRAME, FRAME), "three arrays"), (None, "not an array"), ((1, 2, 3), "not an array"),
    ([FRAME, FRAME, FRAME], "stack frames"),
    (np.full((1, 64, 64, 3), np.nan), "NaN"), (np.full((1, 64, 64, 3), 200.0), "reach 200"), (np.full((1, 64, 64, 3), np.inf), "reach inf"), (np.ma.masked_array(FRAME, FRAME > 50), "masked"), (FRAME.astype(">u2"), "big-endian")])
def test_arrays(ref, words):
    with scorer() as s:
        with pytest.raises(vt.InvalidInput, match=words):
            s.push(ref, ref)
        s.push(FRAME, FRAME)  # the next one works
        assert s.finish().pooled["vmaf"].mean > 90


def test_a_pair_must_be_alike():
    with scorer() as s:
        with pytest.raises(vt.InvalidInput, match="same layout"):
            s.push(FRAME, FRAME[None].repeat(2, 0))
        with pytest.raises(vt.InvalidInput, match="same layout"):
            s.push(FRAME, FRAME[:, :, None].repeat(3, 2))
        s.push(FRAME, FRAME)
        with pytest.raises(vt.InvalidInput, match="one size, format and depth"):
            s.push((FRAME, FRAME, FRAME), (FRAME, FRAME, FRAME))


def test_samples_above_the_depth():
    deep = np.full((64, 64), 2000, np.uint16)
    with scorer(bits=10) as s:
        with pytest.raises(vt.InvalidInput, match="2000"):
            s.push(deep, deep)


def test_a_finished_scorer():
    s = scorer()
    with pytest.raises(vt.InvalidInput, match="no frames"):
        s.finish()
    s.push(FRAME, FRAME)
    s.finish()
    for use in (s.finish, lambda: s.push(FRAME, FRAME)):
        with pytest.raises(vt.InvalidInput, match="is finished"):
            use()
    s.close()


def test_backends_that_cannot_be_used(clips):
    built, path = vt.capabilities()["details"], clips.path(160, 96, 6)
    for name in ("cuda", "hip", "sycl", "metal"):
        if built[name]["built"] and built[name].get("usable"):
            continue
        with pytest.raises(vt.BackendUnavailable, match=name):
            scorer(backend=name)
        with pytest.raises(vt.BackendUnavailable, match=name):
            vt.score_files(path, path, backend=name, arguments=["-w", "160", "-h", "96", "-p", "420", "-b", "8"])
    assert scorer(backend="auto").backend in ("cpu", "cuda", "hip", "sycl", "metal")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(vt.InvalidInput, match="nothing.y4m"):
        vt.score_files(tmp_path / "nothing.y4m", tmp_path / "nothing.y4m")


@pytest.mark.parametrize("what,words", [
    (dict(arguments="--crop auto"), "give a list"), (dict(model=None), "nothing to score"), (dict(backend=None), "'auto', 'cpu'"),
    (dict(arguments=["--crp", "auto"]), "did you mean --crop"),
    (dict(model={"a:b": "vmaf_v0.6.1"}), "colon"), (dict(ref=None), "not a path"), (dict(ref=FRAME), "vmaf.. for arrays")])
def test_files_with_wrong_arguments(clips, what, words):
    path = clips.path(160, 96, 6)
    with pytest.raises(vt.InvalidInput, match=words):
        vt.score_files(**{"ref": path, "dist": path, **what})


def test_gpu_arrays_need_a_gpu():
    class OnGpu:
        shape = (64, 64)
        def __dlpack_device__(self):
            return 2, 0
        def __dlpack__(self, stream=None):
            raise AssertionError("not asked for")
    with scorer() as s, pytest.raises(vt.InvalidInput, match="on GPU 0, but this Scorer computes on cpu"):
        s.push(OnGpu(), OnGpu())


def test_two_scorers_in_two_threads():
    clips = [np.random.default_rng(i).integers(0, 255, (4, 64, 64), dtype=np.uint8) for i in range(4)]
    expected = [vt.vmaf(c, c // 2 + 60, backend="cpu", threads=1).rows for c in clips]
    found = [None] * 4
    def work(i):
        for _ in range(3):
            found[i] = vt.vmaf(clips[i], clips[i] // 2 + 60, backend="cpu", threads=1).rows
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == expected


def test_a_scorer_is_for_one_thread_at_a_time():
    """Other threads are refused, and cannot close it."""
    stack = np.random.default_rng(0).integers(0, 255, (200, 64, 64), dtype=np.uint8)
    s, problems = scorer(), []
    def push():
        try:
            s.push(stack, stack)
        except vt.VmafError as problem:
            problems.append(str(problem))
    threads = [threading.Thread(target=push) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all("another thread" in problem for problem in problems)
    assert s.frames == 200 * (4 - len(problems))
    closing = threading.Thread(target=push)
    closing.start()
    s.close()
    closing.join()


def test_nothing_leaks():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4
    def some(n):
        for i in range(n):
            s = scorer(model=None, features=["psnr"], threads=i % 2)
            s.push(FRAME, FRAME)
            s.finish() if i % 50 == 0 else s.close()
    some(300)
    before = resident()
    some(10000)
    assert resident() - before < 8000, "KiB"
    assert len(os.listdir("/proc/self/fd")) < 60


def test_fork_is_refused():
    s = scorer()
    s.push(FRAME, FRAME)
    child = os.fork()
    if child == 0:
        try:
            s.push(FRAME, FRAME)
        except vt.VmafError as problem:
            os._exit(7 if "after fork()" in str(problem) else 1)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    s.push(FRAME, FRAME)
    assert len(s.finish().rows) == 2


def test_keyboard_interrupt_ends_a_long_push():
    import signal
    stack = np.random.default_rng(0).integers(0, 255, (400, 720, 1280), dtype=np.uint8)
    with vt.Scorer(1280, 720, backend="cpu", threads=0) as s:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            s.push(stack, stack)
        assert 0 < s.frames < 400
