"""Arrays of any library: where their samples are, without copying them.

NumPy, torch, CuPy, JAX and whatever else has `__array_interface__`, `__dlpack__` or `__cuda_array_interface__`.
"""
from __future__ import annotations

import ctypes
import importlib
import os
import re
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any, Optional, Sequence, Tuple

from ._errors import InvalidInput

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13  # kDL... of DLPack
ON_HOST = (CPU, CUDA_HOST, ROCM_HOST)
LIBRARIES = ("numpy", "torch", "cupy", "jax", "jaxlib")  # whose arrays are used directly
TYPES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex", "bf": "bfloat"}


class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes, _capsule_pointer.restype = [ctypes.py_object, ctypes.c_char_p], c_void_p


class Plane:
    """Samples at `pointer`: `strides` in bytes, `kind` as "u1", "u2", "f4"; on the host, or on device `device`."""

    def __init__(self, pointer: int, shape: Tuple[int, ...], strides: Tuple[int, ...], kind: str, device: Optional[int],
                 keep: object, device_type: int = CPU) -> None:
        self.pointer, self.shape, self.strides, self.kind = pointer, shape, strides, kind
        self.device, self.keep, self.device_type = device, keep, device_type

    @property
    def item(self) -> int:
        return int(self.kind[-1])

    def __getitem__(self, index: int) -> "Plane":
        """One frame of a stack, or one plane of a frame."""
        return Plane(self.pointer + index * self.strides[0], self.shape[1:], self.strides[1:], self.kind, self.device, self.keep,
                     self.device_type)

    def is_plane(self) -> bool:
        """Whether rows (the last axis) have adjacent samples."""
        return self.shape[-1] <= 1 or self.strides[-1] == self.item

    def overlaps(self) -> bool:
        """Whether rows share samples, as in broadcast arrays."""
        return self.shape[-2] > 1 and abs(self.strides[-2]) < self.shape[-1] * self.item


def no_array(what: Any) -> InvalidInput:
    if isinstance(what, (str, os.PathLike)):
        return InvalidInput(f"'{what}' is not an array; use score_files for files")
    return InvalidInput(f"a {type(what).__name__} is not an array; give NumPy, torch, CuPy or JAX arrays")


def library_of(array: Any) -> str:
    """The supported library that an array belongs to; else empty."""
    for base in type(array).__mro__:
        name = base.__module__.split(".")[0]
        if name in LIBRARIES:
            return name
    return ""


def type_name(kind: str) -> str:
    """"uint8" of "u1"."""
    letters, size = re.fullmatch(r"(\D+)(\d*)", kind).groups()  # type: ignore[union-attr]
    known = TYPES.get(letters, letters)
    return known if known == "bool" or not size else f"{known}{int(size) * 8}"


def adopted(array: Any) -> Any:
    """Wraps arrays of other libraries in one of a supported library, sharing the memory."""
    interface = getattr(array, "__array_interface__", None)
    by_dlpack = interface is None and hasattr(array, "__dlpack__")
    if library_of(array) or interface and interface.get("mask") is not None:
        return array
    if not (interface or by_dlpack or hasattr(array, "__cuda_array_interface__")):
        return array
    # torch does not wait for the stream of __cuda_array_interface__.
    for name in ("numpy",) if device_of(array) is None else ("cupy", "torch") if by_dlpack else ("cupy",):
        try:
            library = importlib.import_module(name)
            return library.from_dlpack(array) if by_dlpack else library.asarray(array)
        except (ImportError, AttributeError, TypeError, ValueError, BufferError, RuntimeError):
            continue
    return array


def taken(array: Any) -> Any:
    """An array with a shape that can be split into frames."""
    return array if hasattr(array, "shape") and device_of(array) is not None else adopted(array)


def shape_of(array: Any) -> Tuple[int, ...]:
    interface = getattr(array, "__array_interface__", None) or getattr(array, "__cuda_array_interface__", {})  # all that may exist without NumPy
    try:
        return tuple(int(n) for n in getattr(array, "shape", interface.get("shape")))  # type: ignore[union-attr]
    except (AttributeError, TypeError):
        raise no_array(array) from None


def dlpack_device(array: Any) -> Tuple[int, int]:
    try:
        kind, index = array.__dlpack_device__()
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise InvalidInput(f"the array cannot be exported: {problem}") from None
    return int(kind), int(index)


def device_of(array: Any) -> Optional[int]:
    """The index of the GPU that holds an array; None: host memory."""
    if hasattr(array, "__array_interface__"):
        return None
    if hasattr(array, "__dlpack_device__"):
        kind, index = dlpack_device(array)
        return None if kind in ON_HOST else index
    return _pointer_device(array) if hasattr(array, "__cuda_array_interface__") else None


def _pointer_device(array: Any) -> int:
    device = getattr(array, "device", None)
    return int(getattr(device, "id", getattr(device, "index", 0)) or 0)


def _packed(shape: Sequence[int], item: int) -> Tuple[int, ...]:
    strides, step = [], item
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def _from_interface(array: Any, interface: Any, device: Optional[int]) -> Plane:
    kind = interface["typestr"]
    if not re.fullmatch(r"[<>|=][biufc]\d+", kind):
        raise InvalidInput(f"samples of type {getattr(array, 'dtype', kind)} are not supported; use uint8 or uint16, or floats for RGB")
    if kind[0] == ">" and kind[2:] != "1":
        raise InvalidInput("samples are big-endian; convert them with array.astype(array.dtype.newbyteorder('='))")
    if interface.get("mask") is not None or type(array).__module__.startswith("numpy.ma"):
        raise InvalidInput("masked arrays lack samples; fill them first")
    shape = tuple(interface["shape"])
    strides = interface.get("strides") or _packed(shape, int(kind[2:]))
    return Plane(interface["data"][0] or 0, shape, tuple(strides), kind[1:], device, array, CPU if device is None else CUDA)


def _from_capsule(array: Any, stream: Optional[int]) -> Plane:
    device_type, index = dlpack_device(array)
    if device_type not in (*ON_HOST, CUDA, CUDA_MANAGED, ROCM):
        raise InvalidInput("an array is neither in host memory nor on a CUDA or ROCm GPU; copy it to the host first")
    if getattr(array, "requires_grad", False):
        array = array.detach()
    try:
        capsule = array.__dlpack__() if device_type in ON_HOST else array.__dlpack__(stream=stream)
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise InvalidInput(f"the array cannot be exported: {problem}") from None
    tensor = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), POINTER(_Tensor)).contents
    kind = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "b"}.get(tensor.code, "?") + str(tensor.bits // 8)
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    item = tensor.bits // 8
    strides = tuple(tensor.strides[i] * item for i in range(tensor.ndim)) if tensor.strides else _packed(shape, item)
    pointer = (tensor.data or 0) + tensor.byte_offset
    # The capsule owns the tensor, and the tensor keeps its memory alive.
    return Plane(pointer, shape, strides, kind, None if device_type in ON_HOST else index, (array, capsule), device_type)


def intake(array: Any, stream: Optional[int]) -> Plane:
    """The samples of an array; on a device they are ready for work in `stream`."""
    if hasattr(array, "__array_interface__"):
        return _from_interface(array, array.__array_interface__, None)
    if hasattr(array, "__dlpack__"):
        return _from_capsule(array, stream)
    if hasattr(array, "__cuda_array_interface__"):
        interface = array.__cuda_array_interface__
        plane = _from_interface(array, interface, _pointer_device(array))
        plane.ready = interface.get("stream")  # type: ignore[attr-defined]
        return plane
    raise no_array(array)


def compact(array: Any) -> Any:
    """The samples in contiguous order; copied only if needed."""
    if hasattr(array, "contiguous"):  # torch
        return array.contiguous()
    if hasattr(array, "copy") and hasattr(array, "strides"):  # NumPy, CuPy
        return array.copy(order="C")
    if not library_of(array):
        raise InvalidInput(f"rows of a {type(array).__name__} are not adjacent samples; copying them needs NumPy" +
                           ("" if device_of(array) is None else ", or CuPy or torch on a GPU"))
    return array  # others are always contiguous
