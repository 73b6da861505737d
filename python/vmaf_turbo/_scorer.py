"""Scoring arrays, frame by frame."""
from __future__ import annotations

import os
import tempfile
import threading
from contextlib import contextmanager
from ctypes import byref, c_void_p, sizeof
from dataclasses import replace
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library as lib
from ._arrays import Plane, adopted, compact, device_of, intake, shape_of, taken, type_name
from ._colour import yuv_from_rgb
from ._errors import BackendUnavailable, InvalidInput, VmafError
from ._maps import Asked, Maps, Regions, map_names
from ._result import Result, read_document

Features = Union[None, Iterable[Union[str, Tuple[str, Mapping[str, object]]]], Mapping[str, Mapping[str, object]]]
Pairs = List[Tuple[str, str]]
Wanted = List[Tuple[str, Dict[str, object]]]
Models = Union[None, str, "os.PathLike[str]", Sequence[str], Mapping[str, str]]

CHUNK = 8  # RGB frames converted at a time
_ERROR, _NONE, _JSON = 1, 0, 2


def feature_list(features: Features) -> List[Tuple[str, Dict[str, object]]]:
    if isinstance(features, str):
        raise InvalidInput(f"features is the text '{features}'; give a list: features=['{features}']")
    if features is None:
        return []
    if isinstance(features, Mapping):
        pairs: List[Any] = list(features.items())
    elif isinstance(features, Iterable):
        pairs = [(item, {}) if isinstance(item, str) else item for item in features]
    else:
        raise InvalidInput(f"features={features!r} is not supported; give a list of names: features=['psnr']")
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], Mapping):
            raise InvalidInput(f"{pair!r} is not a feature; give a name, or a name with options: ('psnr', {{'enable_mse': True}})")
    return [(name, dict(options)) for name, options in pairs]


def model_list(model: Models) -> List[Tuple[str, str]]:
    """(name of the score, version or path)"""
    if model is None:
        return []
    if isinstance(model, (str, os.PathLike)):
        return [("vmaf", _source(model))]
    if isinstance(model, Mapping):
        return [(str(name), _source(source)) for name, source in model.items()]
    sources = [_source(source) for source in model] if isinstance(model, (list, tuple)) else [_source(model)]
    if len(set(sources)) != len(sources):
        raise InvalidInput(f"a model appears twice in {sources}; name the scores: model={{'first': '{sources[0]}', ...}}")
    return [("vmaf" if len(sources) == 1 else source, source) for source in sources]


def _source(model: Any) -> str:
    path = os.fspath(model) if isinstance(model, (str, os.PathLike)) else None
    if not isinstance(path, str):
        raise InvalidInput(f"{model!r} is not a model; give a built-in version such as 'vmaf_v0.6.1', or a path")
    return path


def check_request(models: Pairs, features: Wanted, backend: Any) -> None:
    if not isinstance(backend, str):
        raise InvalidInput(f"backend={backend!r} is not supported; use 'auto', 'cpu', 'cuda', 'hip', 'sycl' or 'metal'")
    if not models and not features:
        raise InvalidInput("nothing to score; give a model or a feature")


def check_whole(name: str, value: Any, least: int, most: int = 2**31 - 1) -> None:
    if not hasattr(value, "__index__") or not least <= int(value) <= most:
        limits = f"of at least {least}" if most == 2**31 - 1 else f"from {least} to {most}"
        raise InvalidInput(f"{name}={value!r} is not supported; use a whole number {limits}")


def check_no_list(array: Any) -> None:
    """Rejects lists: three frames would look like three planes."""
    if isinstance(array, list):
        raise InvalidInput("a list could be frames or planes; stack frames (numpy.stack, torch.stack), and give planes as a tuple (Y, Cb, Cr)")


def _stream_handle(stream: Any) -> int:
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise InvalidInput(f"a {type(stream).__name__} is not a stream; give a torch or CuPy stream, or the number of a CUstream") from None


class _Frames:
    """A stack of frames as planes; `shapes` describe its layout."""

    def __init__(self, array: Any, size: Tuple[int, int]) -> None:
        self.is_planar = isinstance(array, tuple)
        self.array, self.channel_axis = _arrays_of(array), 0
        if self.is_planar:
            array = self.array
            self.layout = "yuv"
            self.is_stack = len(shape_of(array[0])) == 3
            if len({len(shape_of(plane)) for plane in array}) != 1:
                raise InvalidInput("the planes of a stack must all be (T, H, W), those of a frame (H, W)")
            self.count = shape_of(array[0])[0] if self.is_stack else 1
            self._check(shape_of(array[0])[-2:], size)
            return
        shape = shape_of(self.array)
        self.layout, self.is_stack, self.count = self._meaning(shape, size)

    def _meaning(self, shape: Tuple[int, ...], size: Tuple[int, int]) -> Tuple[str, bool, int]:
        if shape == size:
            return "luma", False, 1
        if len(shape) == 3 and shape[1:] == size:
            return "luma", True, shape[0]
        if shape == (*size, 3):
            self.channel_axis = -1
            return "rgb", False, 1
        if len(shape) == 4 and shape[1:] == (3, *size):
            self.channel_axis = 1
            return "rgb", True, shape[0]
        if len(shape) == 4 and shape[1:] == (*size, 3):
            self.channel_axis = -1
            return "rgb", True, shape[0]
        raise InvalidInput(f"an array of shape {shape} does not fit frames of {size[1]}x{size[0]}; give (T, H, W) luma, (T, 3, H, W) or "
                           "(T, H, W, 3) RGB, or a tuple of Y, Cb and Cr")

    @staticmethod
    def _check(shape: Tuple[int, ...], size: Tuple[int, int]) -> None:
        if tuple(shape) != size:
            raise InvalidInput(f"the luma plane is {shape[-1]}x{shape[-2]}, the frames of this Scorer are {size[1]}x{size[0]}")

    def part(self, first: int, count: int) -> "_Frames":
        if count == self.count:
            return self
        out = _Frames.__new__(_Frames)
        out.__dict__.update(self.__dict__, count=count)
        if self.is_stack:
            out.array = tuple(plane[first:first + count] for plane in self.array) if self.is_planar else self.array[first:first + count]
        return out

    def first_array(self) -> Any:
        return self.array[0] if self.is_planar else self.array


def _arrays_of(clip: Any) -> Any:
    """A clip's array, or its planes."""
    check_no_list(clip)
    if not isinstance(clip, tuple):
        return taken(clip)
    if len(clip) != 3:
        raise InvalidInput(f"planar frames are three arrays (Y, Cb, Cr), not {len(clip)}")
    return tuple(map(taken, clip))


def _planes(arrays: Sequence[Any], stream: Optional[int]) -> List[Plane]:
    out = []
    for array in arrays:
        plane = intake(array, stream)
        if not plane.is_plane() or plane.overlaps() or plane.device is not None and any(step < 0 for step in plane.strides):
            plane = intake(compact(adopted(array)), stream)
        out.append(plane)
    return out


def _chroma_of(planes: Sequence[Plane]) -> str:
    """The pixel format with these plane sizes."""
    height, width = planes[0].shape[-2:]
    if len(planes) == 1:
        return "400"
    for name, down, across in (("444", 1, 1), ("422", 1, 2), ("420", 2, 2)):  # odd sizes rounded down, or up as FFmpeg does
        rows, columns = (height // down, -(-height // down)), (width // across, -(-width // across))
        if planes[1].shape[-2:] == planes[2].shape[-2:] and planes[1].shape[-2] in rows and planes[1].shape[-1] in columns:
            return name
    raise InvalidInput(f"chroma planes of {planes[1].shape[-1]}x{planes[1].shape[-2]} do not fit luma of {width}x{height}; 4:2:0, 4:2:2 and 4:4:4 "
                       "are supported")


class Scorer:
    """Scores pairs of frames that are pushed one after the other.

    >>> import numpy as np
    >>> grey = np.full((64, 64), 128, np.uint8)
    >>> with Scorer(64, 64, features=["psnr"], backend="cpu") as scorer:
    ...     for _ in range(3):
    ...         scorer.push(grey, grey)
    ...     result = scorer.finish()
    >>> result.pooled["psnr_y"].mean
    60.0

    `model` is the version of a built-in model, a path, several of them, a mapping from names of scores to models, or None. `features` are further
    metrics: names, or names with options (`{"cambi": {"max_log_contrast": 2}}`).
    `bits` is the depth of 16-bit samples, which must be stated, and the one that RGB is converted to (8 if not given). `chroma` is the format that RGB is
    converted to.
    `maps` asks for local scores (`result.maps`): True for the first model's, or names of scores; `map_cell` is the side of their cells. `regions` are
    rectangles by name, (x, y, width, height) or by frame; their scores are `vmaf_NAME`.
    `backend` is "auto", "cpu" or a GPU's; a GPU that is named is used or refused with BackendUnavailable.
    """

    def __init__(self, width: int, height: int, *, model: Models = "vmaf_v0.6.1", features: Features = (), bits: Optional[int] = None,
                 chroma: str = "420", backend: str = "auto", device: Optional[int] = None, threads: Optional[int] = None,
                 subsample: int = 1, maps: Maps = False, map_cell: int = 0, regions: Regions = {}, log: bool = False) -> None:
        self._context: Optional[c_void_p] = None
        self._models: List[lib.Model] = []
        self._process, self._lock = os.getpid(), threading.RLock()
        check_whole("width", width, 1)
        check_whole("height", height, 1)
        check_whole("subsample", subsample, 1)
        check_whole("map_cell", map_cell, 0)
        for name, value, limits in (("threads", threads, (0, lib.MOST_THREADS)), ("bits", bits, (8, 16)), ("device", device, (0,))):
            if value is not None:
                check_whole(name, value, *limits)
        if chroma not in lib.PIXEL_FORMATS:
            raise InvalidInput(f"chroma={chroma!r} is not supported; use '400', '420', '422' or '444'")
        models, wanted = model_list(model), feature_list(features)
        check_request(models, wanted, backend)
        if threads is None:
            threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.width, self.height, self.frames = int(width), int(height), 0
        self._bits, self._chroma, self._format = bits, chroma, None  # type: Optional[int], str, Optional[Tuple[str, str, int]]
        self._stream: Optional[int] = None
        context = c_void_p()
        lib.call("vmaf_init", byref(context), lib.Configuration(_ERROR if log else _NONE, int(threads), int(subsample), 0, 0))
        self._context = context
        self._parts: Optional[Asked] = None
        try:
            self._set_up(context, backend, -1 if device is None else int(device), models, wanted)
            if maps or regions:
                names = map_names(maps, [known.name for known in self._models])
                self._parts = Asked(context, names, map_cell, regions, self._models)
        except BaseException:
            self.close()
            raise

    def _start_device(self, context: c_void_p) -> None:
        self._device = lib.Device(size=sizeof(lib.Device))
        try:
            lib.call("vmaf_turbo_device", context, byref(self._device))
        except VmafError as problem:
            raise BackendUnavailable(str(problem), problem.code) from None

    def _set_up(self, context: c_void_p, backend: str, device: int, models: Pairs, features: Wanted) -> None:
        lib.call("vmaf_turbo_use_backend", context, backend.encode(), device)
        self._start_device(context)
        for name, source in models:
            self._models.append(lib.Model(source, name))
            self._models[-1].use(context)
        for name, options in features:
            lib.use_feature(context, name, options)

    @property
    def backend(self) -> str:
        """The backend: "cpu", "cuda", ..."""
        return str(self._device.backend.decode())

    @property
    def device_name(self) -> str:
        """The GPU's name; empty on the CPU."""
        return str(self._device.name.decode())

    def __enter__(self) -> "Scorer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Releases everything, as `finish` and the end of a `with` block do."""
        if os.getpid() != getattr(self, "_process", 0):
            return  # in a forked child the threads are the parent's
        with self._lock:  # waits for a pushing thread
            context, self._context = self._context, None
            models, self._models = self._models, []
            for model in models:
                model.close()
            if context:
                lib.library.vmaf_close(context)

    def _check_usable(self) -> c_void_p:
        if os.getpid() != self._process:
            raise VmafError(f"this Scorer belongs to process {self._process} and cannot be used after fork(); create one in the new process")
        if not self._context:
            raise InvalidInput("this Scorer is finished; create another one")
        return self._context

    @contextmanager
    def _in_use(self) -> Iterator[c_void_p]:
        """The context, for one thread at a time."""
        self._check_usable()  # before locking: in a forked child the lock may stay taken
        if not self._lock.acquire(blocking=False):
            raise VmafError("another thread is using this Scorer; create one per thread")
        try:
            yield self._check_usable()
        finally:
            self._lock.release()

    def push(self, ref: Any, dist: Any, stream: Any = None) -> None:
        """Takes a pair of frames, or of stacks of frames.

        Frames are luma (H, W) or (T, H, W), RGB (H, W, 3), (T, H, W, 3) or (T, 3, H, W), or a tuple of the planes Y, Cb, Cr, each (H, W) or (T, H, W).
        When `push` returns the arrays may be changed. Arrays on a GPU are read there, after the work that is queued for them; with `stream` that stream
        is made to wait instead of the caller.
        """
        with self._in_use():
            self._push(ref, dist, stream)

    def _push(self, ref: Any, dist: Any, stream: Any) -> None:
        size = (self.height, self.width)
        pair = [_Frames(array, size) for array in (ref, dist)]
        if pair[0].layout != pair[1].layout or pair[0].count != pair[1].count:
            raise InvalidInput(f"the reference has {pair[0].count} frame(s) of {pair[0].layout}, the distorted clip {pair[1].count} of {pair[1].layout}; "
                               "both must have the same layout and number of frames")
        self._check_places(pair)
        step = CHUNK if pair[0].layout == "rgb" else pair[0].count
        for first in range(0, pair[0].count, max(step, 1)):
            count = min(step, pair[0].count - first)
            self._push_part([frames.part(first, count) for frames in pair], stream)

    def _check_places(self, pair: Sequence[_Frames]) -> None:
        places = {device_of(array) for frames in pair for array in (frames.array if frames.is_planar else (frames.array,))}
        if len(places) > 1:
            raise InvalidInput("the arrays of a pair are in different memories; move them to one device")
        (place,) = places
        self._on_device = place is not None
        if place is not None and self.backend not in ("cuda", "hip"):
            raise InvalidInput(f"the arrays are on GPU {place}, but this Scorer computes on {self.backend}; use backend='cuda', or copy them to the host")
        if place is not None and place != self._device.index:
            raise InvalidInput(f"the arrays are on GPU {place}, this Scorer is on GPU {self._device.index}; use device={place}")

    def _as_planes(self, frames: _Frames) -> List[Plane]:
        own_stream = self._device.stream
        if frames.layout == "yuv":
            return _planes(frames.array, own_stream)
        if frames.layout == "luma":
            return _planes([frames.array], own_stream)
        array = adopted(frames.array)
        kind = intake(array, own_stream).kind
        converted = yuv_from_rgb(array, kind, frames.channel_axis, self._chroma, self._bits or 8)
        return _planes(converted, own_stream)

    def _depth_of(self, planes: Sequence[Plane], layout: str) -> int:
        kinds = {plane.kind for plane in planes}
        if len(kinds) != 1 or not kinds <= {"u1", "u2", "i2"}:
            raise InvalidInput(f"samples of type {', '.join(map(type_name, sorted(kinds)))} are not supported for {layout}; use uint8 or uint16" +
                               ("; floats are RGB: (T, 3, H, W), (T, H, W, 3) or (H, W, 3)" if any("f" in kind for kind in kinds) else ""))
        if layout == "rgb":
            return self._bits or 8
        if kinds == {"u1"}:
            if self._bits not in (None, 8):
                raise InvalidInput(f"bits={self._bits}, but the samples are uint8; convert them to uint16")
            return 8
        if self._bits is None or self._bits == 8:
            raise InvalidInput("16-bit samples need their depth: bits=10 (or 9 to 16)")
        return self._bits

    def _push_part(self, pair: Sequence[_Frames], stream: Any) -> None:
        context = self._check_usable()
        both = [self._as_planes(frames) for frames in pair]
        layout, bits = pair[0].layout, self._depth_of([*both[0], *both[1]], pair[0].layout)
        chroma = _chroma_of(both[0])
        if _chroma_of(both[1]) != chroma:
            raise InvalidInput("the reference and the distorted clip have different chroma formats; they must match")
        memory = lib.DEVICE if self._on_device else lib.HOST
        pictures = []
        for planes in both:
            shown = [plane[0] for plane in planes] if len(planes[0].shape) == 3 else planes
            if len(planes[0].shape) == 3 and any(plane.shape[0] != pair[0].count for plane in planes):
                raise InvalidInput("the planes of a stack have different numbers of frames")
            ready = getattr(planes[0], "ready", None) or self._device.stream
            pictures.append(lib.picture(shown, chroma, bits, memory, ready if self._on_device else None))
        pictures[1].is_ready = pictures[0].stream == pictures[1].stream
        steps = [(picture.data, p, plane.strides[0]) for picture, planes in zip(pictures, both) for p, plane in enumerate(planes)]
        pointers = byref(pictures[0]), byref(pictures[1])
        try:
            for i in range(pair[0].count):
                if i == 1:
                    pictures[0].is_ready = pictures[1].is_ready = 1  # one wait is enough for a stack
                if i:
                    for data, p, step in steps:
                        data[p] += step
                lib.call("vmaf_turbo_read_pictures", context, *pointers, self.frames)
                self.frames += 1
        finally:  # the caller owns the arrays again in any case
            if self._on_device and self._context:
                if stream is None:
                    lib.call("vmaf_turbo_wait_read", context)
                else:
                    lib.call("vmaf_turbo_hold_stream", context, _stream_handle(stream))

    def finish(self) -> Result:
        """Waits for all frames and returns their scores."""
        with self._in_use() as context:
            return self._finish(context)

    def _finish(self, context: c_void_p) -> Result:
        if not self.frames:
            raise InvalidInput("no frames to score; push frames first")
        try:
            lib.call("vmaf_read_pictures", context, None, None, 0)
            for model in self._models:
                model.predict(context, self.frames)
            with tempfile.TemporaryDirectory(prefix="vmaf_turbo_") as folder:
                path = os.path.join(folder, "scores.json")
                lib.call("vmaf_write_output_with_format", context, os.fsencode(path), _JSON, b"%.17g")
                result = read_document(path, [model.name for model in self._models])
            return replace(result, cell_maps=self._parts.maps) if self._parts else result
        finally:
            self.close()


def vmaf(ref: Any, dist: Any, *, model: Models = "vmaf_v0.6.1", features: Features = (), bits: Optional[int] = None, chroma: str = "420",
         backend: str = "auto", device: Optional[int] = None, threads: Optional[int] = None, maps: Maps = False, map_cell: int = 0,
         regions: Regions = {}) -> Result:
    """Scores two clips that are arrays: (T, H, W) luma, (T, 3, H, W) or (T, H, W, 3) RGB, or tuples of Y, Cb and Cr.

    >>> import numpy as np
    >>> ramp = np.tile(np.arange(64, dtype=np.uint8) * 3, (2, 64, 1))
    >>> float(vmaf(ramp, ramp // 64 * 64)) < float(vmaf(ramp, ramp))
    True
    """
    ref, dist = _arrays_of(ref), _arrays_of(dist)
    shape = shape_of(ref[0] if isinstance(ref, tuple) else ref)
    if isinstance(ref, tuple) or len(shape) == 2 or len(shape) == 3 and shape[-1] != 3:
        height, width = shape[-2:]
    elif len(shape) == 4 and shape[1] == 3 and shape[-1] != 3:
        height, width = shape[2:]
    elif len(shape) in (3, 4) and shape[-1] == 3:
        height, width = shape[-3:-1]
    else:
        raise InvalidInput(f"an array of shape {shape} is not a clip; give (T, H, W) luma, (T, 3, H, W) or (T, H, W, 3) RGB, or a tuple of Y, Cb and Cr")
    place = device_of(ref[0] if isinstance(ref, tuple) else ref)
    with Scorer(width, height, model=model, features=features, bits=bits, chroma=chroma, backend=backend,
                device=device if device is not None or backend in ("auto", "cpu") else place, threads=threads, maps=maps,
                map_cell=map_cell, regions=regions) as scorer:
        scorer.push(ref, dist)
        return scorer.finish()
