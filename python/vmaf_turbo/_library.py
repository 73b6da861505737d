"""The C library through ctypes: how to find it, its structures (include/libvmaf), its functions."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint, c_uint64, c_void_p
from typing import Dict, List, Optional, Sequence

from ._errors import VmafError, error_for

PREFIX = pathlib.Path(__file__).with_name("prefix")  # of a wheel: bin, lib
NAMES = {"win32": "vmaf-3.dll", "darwin": "libvmaf.3.dylib"}
PIXEL_FORMATS = {"420": 1, "422": 2, "444": 3, "400": 4}
HOST, DEVICE = 0, 1
PADDING = 128
MOST_THREADS = 4096


class Configuration(ctypes.Structure):
    _fields_ = [("log_level", c_int), ("n_threads", c_uint), ("n_subsample", c_uint), ("cpumask", c_uint64), ("gpumask", c_uint64)]


class ModelConfiguration(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("flags", c_uint64)]


class Device(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("index", c_int), ("backend", ctypes.c_char * 8), ("name", ctypes.c_char * 128),
                ("context", c_void_p), ("stream", c_void_p), ("small_copies", c_uint64), ("large_copies", c_uint64)]


class Picture(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("pix_fmt", c_int), ("bpc", c_uint), ("w", c_uint), ("h", c_uint), ("memory", c_int),
                ("data", c_void_p * 3), ("stride", c_ssize_t * 3), ("stream", c_void_p), ("release", c_void_p), ("user", c_void_p),
                ("padding", c_size_t), ("is_ready", c_int)]


class CollectionScore(ctypes.Structure):
    _fields_ = [("type", c_int), ("bagging_score", c_double), ("stddev", c_double), ("lo", c_double), ("hi", c_double), ("more", c_double * 8)]


class Cells(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("score", c_char_p), ("index", c_uint), ("cell", c_int), ("columns", c_int), ("rows", c_int),
                ("x", POINTER(c_int)), ("y", POINTER(c_int)), ("scores", POINTER(c_double))]


CELLS_HANDLER = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Cells))


class Map(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("model", c_void_p), ("score", c_char_p), ("cell", c_int), ("on_cells", CELLS_HANDLER), ("user", c_void_p)]


class Region(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("x", c_int), ("y", c_int), ("w", c_int), ("h", c_int), ("moves", c_int), ("index", c_uint)]


SIGNATURES = {
    "vmaf_init": [POINTER(c_void_p), Configuration],
    "vmaf_close": [c_void_p],
    "vmaf_model_load": [POINTER(c_void_p), POINTER(ModelConfiguration), c_char_p],
    "vmaf_model_load_from_path": [POINTER(c_void_p), POINTER(ModelConfiguration), c_char_p],
    "vmaf_model_collection_load": [POINTER(c_void_p), POINTER(c_void_p), POINTER(ModelConfiguration), c_char_p],
    "vmaf_model_collection_load_from_path": [POINTER(c_void_p), POINTER(c_void_p), POINTER(ModelConfiguration), c_char_p],
    "vmaf_use_features_from_model": [c_void_p, c_void_p],
    "vmaf_use_features_from_model_collection": [c_void_p, c_void_p],
    "vmaf_feature_dictionary_set": [POINTER(c_void_p), c_char_p, c_char_p],
    "vmaf_feature_dictionary_free": [POINTER(c_void_p)],
    "vmaf_use_feature": [c_void_p, c_char_p, c_void_p],
    "vmaf_read_pictures": [c_void_p, c_void_p, c_void_p, c_uint],
    "vmaf_score_pooled": [c_void_p, c_void_p, c_int, POINTER(c_double), c_uint, c_uint],
    "vmaf_score_pooled_model_collection": [c_void_p, c_void_p, c_int, POINTER(CollectionScore), c_uint, c_uint],
    "vmaf_write_output_with_format": [c_void_p, c_char_p, c_int, c_char_p],
    "vmaf_turbo_use_backend": [c_void_p, c_char_p, c_int],
    "vmaf_turbo_check_feature": [c_char_p, c_void_p],
    "vmaf_turbo_device": [c_void_p, POINTER(Device)],
    "vmaf_turbo_read_pictures": [c_void_p, POINTER(Picture), POINTER(Picture), c_uint],
    "vmaf_turbo_wait_read": [c_void_p],
    "vmaf_turbo_hold_stream": [c_void_p, c_void_p],
    "vmaf_turbo_use_map": [c_void_p, POINTER(Map)],
    "vmaf_turbo_use_region": [c_void_p, POINTER(Region)],
}
OTHERS = {  # do not return error codes
    "vmaf_version": ([], c_char_p),
    "vmaf_turbo_last_error": ([], c_char_p),
    "vmaf_model_destroy": ([c_void_p], None),
    "vmaf_model_collection_destroy": ([c_void_p], None),
    "vmaf_model_version_next": ([c_void_p, POINTER(c_char_p)], c_void_p),
}


def candidates() -> List[str]:
    """Where to look for the library: VMAF_TURBO_LIBRARY, the wheel, the system."""
    given = os.environ.get("VMAF_TURBO_LIBRARY")
    if given:
        return [given]
    name = NAMES.get(sys.platform, "libvmaf.so.3")
    return [str(path) for path in (PREFIX / "lib" / name, PREFIX / "bin" / name) if path.exists()] or [name]


def load() -> ctypes.CDLL:
    (path,) = candidates()[:1]
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(f"the library of vmaf-turbo cannot be loaded: {problem}; install the wheel, or name the library in "
                          "VMAF_TURBO_LIBRARY") from None
    if not hasattr(library, "vmaf_turbo_version"):
        raise ImportError(f"{path} is another libvmaf, without the functions of turbo.h; install the wheel, or name the library of "
                          "vmaf-turbo in VMAF_TURBO_LIBRARY")
    lacks = [name for name in SIGNATURES if not hasattr(library, name)]
    if lacks:
        raise ImportError(f"{path} is older than this package ({lacks[0]} is missing); use the library it was built with")
    for name, arguments in SIGNATURES.items():
        getattr(library, name).argtypes = arguments
    for name, (arguments, answer) in OTHERS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, answer
    return library


library = load()


def call(name: str, *arguments: object) -> None:
    """Calls a function that returns 0 or a negative errno value; releases the GIL."""
    result = getattr(library, name)(*arguments)
    if result:
        raise error_for(-result, library.vmaf_turbo_last_error().decode())


def version() -> str:
    """The version of the library."""
    return str(library.vmaf_version().decode())


def models() -> List[str]:
    """Built-in models.

    >>> "vmaf_v0.6.1" in models()
    True
    """
    names: List[str] = []
    version_text = c_char_p()
    handle = library.vmaf_model_version_next(None, byref(version_text))
    while handle:
        names.append((version_text.value or b"").decode())
        handle = library.vmaf_model_version_next(handle, byref(version_text))
    return names


class Model:
    """A model, or a bootstrap collection, and the features that it needs."""

    def __init__(self, source: str, name: str) -> None:
        self.name, self.handle, self.collection = name, c_void_p(), c_void_p()
        configuration = ModelConfiguration(name.encode(), 0)
        suffix = "" if source in models() or not _is_path(source) else "_from_path"
        text = os.fsencode(source)
        try:
            call("vmaf_model_load" + suffix, byref(self.handle), byref(configuration), text)
        except VmafError as problem:
            self.handle = c_void_p()
            try:
                call("vmaf_model_collection_load" + suffix, byref(self.handle), byref(self.collection), byref(configuration), text)
            except VmafError:
                raise problem from None

    def use(self, context: c_void_p) -> None:
        if self.collection:
            call("vmaf_use_features_from_model_collection", context, self.collection)
        call("vmaf_use_features_from_model", context, self.handle)

    def predict(self, context: c_void_p, frames: int) -> None:
        """Stores the scores of all frames."""
        score = c_double()
        call("vmaf_score_pooled", context, self.handle, 3, byref(score), 0, frames - 1)
        if self.collection:
            scores = CollectionScore()
            call("vmaf_score_pooled_model_collection", context, self.collection, 3, byref(scores), 0, frames - 1)

    def close(self) -> None:
        if self.collection:
            library.vmaf_model_collection_destroy(self.collection)
        if self.handle:
            library.vmaf_model_destroy(self.handle)
        self.handle, self.collection = c_void_p(), c_void_p()


def _is_path(source: str) -> bool:
    return os.path.exists(source) or source.endswith(".json") or os.sep in source


def use_feature(context: c_void_p, name: str, options: Dict[str, object]) -> None:
    dictionary = c_void_p()
    try:
        for key, value in options.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            call("vmaf_feature_dictionary_set", byref(dictionary), str(key).encode(), text.encode())
        call("vmaf_turbo_check_feature", name.encode(), dictionary)
    except VmafError:
        library.vmaf_feature_dictionary_free(byref(dictionary))
        raise
    call("vmaf_use_feature", context, name.encode(), dictionary)


def picture(planes: Sequence["object"], pixel_format: str, bits: int, memory: int, stream: Optional[int]) -> Picture:
    """From planes with `pointer`, `shape` and `strides`; the library copies them."""
    out = Picture(size=ctypes.sizeof(Picture), pix_fmt=PIXEL_FORMATS[pixel_format], bpc=bits, memory=memory, stream=stream)
    out.h, out.w = planes[0].shape  # type: ignore[attr-defined]
    for i, plane in enumerate(planes):
        out.data[i], out.stride[i] = plane.pointer, plane.strides[0]  # type: ignore[attr-defined]
    return out
