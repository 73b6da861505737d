"""RGB to YUV: BT.709, limited range.

The definition. R, G and B are taken as numbers from 0 to 1: integers of n bits divided by 2^n - 1, floats as they are, limited to 0..1. With b the
depth of the result and s = 2^(b-8):

    Y  = 0.2126 R + 0.7152 G + 0.0722 B         luma   = floor(s (16 + 219 Y) + 1/2)
    Cb = (B - Y) / 1.8556                       chroma = floor(s (128 + 224 C) + 1/2)
    Cr = (R - Y) / 1.5748

Chroma of 4:2:0 and 4:2:2 is sited as in MPEG-2, on every second column and, in 4:2:0, between two rows. Before it is rounded it is weighted with a
triangle around that place: 1/4, 1/2, 1/4 of the three columns and 1/8, 3/8, 3/8, 1/8 of the four rows. Beyond an edge its samples are repeated; an odd
last row or column has no chroma of its own.

All of it in double precision, with the operations of the array's own library, where the array is. (JAX without `jax_enable_x64` has single precision:
a sample may be off by one.)
"""
from __future__ import annotations

import importlib
from typing import Any, List

from ._arrays import device_of, library_of, type_name
from ._errors import InvalidInput

KR, KG, KB = 0.2126, 0.7152, 0.0722
FULL = {"u1": 255.0, "u2": 65535.0}
OTHER_SCALE = 16.0  # floats above it are meant as 0 to 255 or more; lower ones are clamped


class Library:
    """The functions that differ between array libraries."""

    def __init__(self, array: Any) -> None:
        name = library_of(array)
        if not name:
            raise InvalidInput(f"RGB in a {type(array).__name__} is converted with NumPy" +
                               (", which is not installed" if device_of(array) is None else ", or CuPy or torch on a GPU; neither accepts it"))
        self.is_torch, self.is_jax = name == "torch", name in ("jax", "jaxlib")
        self.module = importlib.import_module("jax.numpy" if self.is_jax else name if name in ("torch", "cupy") else "numpy")

    def as_type(self, array: Any, name: str) -> Any:
        kind = getattr(self.module, name)
        if self.is_jax and name == "float64":
            kind = self.module.result_type(float)  # single precision unless jax_enable_x64 is set
        return array.to(kind) if self.is_torch else array.astype(kind)

    def join(self, parts: List[Any], axis: int) -> Any:
        return self.module.cat(parts, dim=axis) if self.is_torch else self.module.concatenate(parts, axis=axis)

    def samples(self, values: Any, bits: int) -> Any:
        """Integers as samples. Older versions of torch lack uint16: uses int16 with the same bits."""
        if bits <= 8:
            return self.as_type(values, "uint8")
        if not self.is_torch:
            return self.as_type(values, "uint16")
        whole = self.as_type(values, "int32")
        return self.as_type(whole - (whole > 32767) * 65536, "int16")


def _last(array: Any, start: int, stop: int, step: int, axis: int) -> Any:
    index = [slice(None)] * array.ndim
    index[axis] = slice(start, stop, step)
    return array[tuple(index)]


def _halved(library: Library, plane: Any, axis: int) -> Any:
    """Every second column (axis -1), or between every two rows (axis -2)."""
    pairs = plane.shape[axis] // 2
    even, odd = _last(plane, 0, 2 * pairs, 2, axis), _last(plane, 1, 2 * pairs, 2, axis)
    before = library.join([_last(even, 0, 1, 1, axis), _last(odd, 0, pairs - 1, 1, axis)], axis)
    if axis == -1:
        return before * 0.25 + even * 0.5 + odd * 0.25
    after = library.join([_last(even, 1, pairs, 1, axis), _last(odd, pairs - 1, pairs, 1, axis)], axis)
    return before * 0.125 + even * 0.375 + odd * 0.375 + after * 0.125


def yuv_from_rgb(array: Any, kind: str, channel_axis: int, chroma: str, bits: int) -> List[Any]:
    """Planes Y, Cb, Cr of a stack of frames, in the array's own library."""
    library = Library(array)
    values = library.as_type(array, "float64")
    if kind in FULL:
        values = values / FULL[kind]
    elif kind[0] == "f" or kind == "bf2":  # bfloat16
        highest = float(values.max()) if 0 not in values.shape else 0.0
        if highest != highest:
            raise InvalidInput("RGB samples are NaN; replace them first")
        if highest > OTHER_SCALE:
            raise InvalidInput(f"RGB floats go from 0 to 1, and these reach {highest:g}; divide them by 255, or convert them to uint8")
        values = values.clip(0.0, 1.0)
    else:
        raise InvalidInput(f"RGB samples of type {type_name(kind)} are not supported; use uint8, uint16 or floats from 0 to 1")
    index = [slice(None)] * values.ndim
    channels = []
    for i in range(3):
        index[channel_axis] = i  # type: ignore[call-overload]
        channels.append(values[tuple(index)])
    red, green, blue = channels
    luma = red * KR + green * KG + blue * KB
    scale = float(2 ** (bits - 8))
    planes = [(luma * (219.0 * scale) + (16.0 * scale + 0.5)) // 1]
    if chroma != "400":
        for difference in ((blue - luma) / (2.0 - 2.0 * KB), (red - luma) / (2.0 - 2.0 * KR)):
            if chroma in ("420", "422"):
                difference = _halved(library, difference, -1)
            if chroma == "420":
                difference = _halved(library, difference, -2)
            planes.append((difference * (224.0 * scale) + (128.0 * scale + 0.5)) // 1)
    return [library.samples(plane, bits) for plane in planes]
