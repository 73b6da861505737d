"""Maps and regions: scores of parts of pictures (docs/spec/maps.md)."""
from __future__ import annotations

import ctypes
import os
from array import array
from ctypes import byref, c_void_p, sizeof
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

from . import _library as lib
from ._errors import InvalidInput

Area = Tuple[int, int, int, int]  # x, y, width, height
Regions = Mapping[str, Union[Area, Mapping[int, Area]]]  # a mapping from frames means a moving region
Maps = Union[bool, str, Sequence[str]]


def map_names(maps: Maps, models: Sequence[str]) -> List[str]:
    """The scores of the maps."""
    if maps is True:
        if not models:
            raise InvalidInput("maps=True shows the first model, but there is none; name a score: maps=['psnr_y']")
        return [models[0]]
    if not maps:
        return []
    names = [maps] if isinstance(maps, str) else list(maps) if isinstance(maps, (list, tuple)) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"maps={maps!r} is not supported; use True, or names of scores: maps=['vmaf']")
    return names


def region_places(regions: Regions) -> List[Tuple[str, int, Area]]:
    """(name, frame or -1 for all, place)"""
    out: List[Tuple[str, int, Area]] = []
    if not isinstance(regions, Mapping):
        raise InvalidInput(f"regions={regions!r} is not supported; give rectangles by name: regions={{'face': (x, y, width, height)}}")
    for name, place in regions.items():
        for frame, area in place.items() if isinstance(place, Mapping) else [(-1, place)]:
            if not isinstance(area, (tuple, list)) or len(area) != 4 or not all(hasattr(v, "__index__") for v in area):
                raise InvalidInput(f"region '{name}' is {area!r}; give whole numbers (x, y, width, height)")
            out.append((name, int(frame), tuple(int(v) for v in area)))  # type: ignore[arg-type]
    return out


class CellMap:
    """Cells of all frames of one score."""

    def __init__(self) -> None:
        self.cells, self.rows, self.columns = array("f"), 0, 0
        self.x: List[int] = []
        self.y: List[int] = []

    def take(self, frame: Any) -> None:
        cells = frame.contents
        self.rows, self.columns = cells.rows, cells.columns
        self.x, self.y = list(cells.x[:cells.columns + 1]), list(cells.y[:cells.rows + 1])
        self.cells.extend(cells.scores[:cells.rows * cells.columns])

    def read(self, path: str, place: Mapping[str, Any]) -> "CellMap":
        """A .npy file from `vmaf --map`, and its cell edges."""
        with open(path, "rb") as file:
            start = file.read(10)
            file.read(int.from_bytes(start[8:10], "little"))
            self.cells.frombytes(file.read())
        self.x, self.y = list(place["x"]), list(place["y"])
        self.rows, self.columns = len(self.y) - 1, len(self.x) - 1
        return self

    def as_array(self) -> Any:
        try:
            import numpy as np
        except ImportError:
            raise ImportError("maps are NumPy arrays, and NumPy is not installed") from None
        return np.array(self.cells, np.float32).reshape(-1, self.rows, self.columns)


class Asked:
    """A context's maps and regions; must live as long as the context."""

    def __init__(self, context: c_void_p, names: Sequence[str], cell: int, regions: Regions, models: Sequence[lib.Model]) -> None:
        self.maps: Dict[str, CellMap] = {}
        self._kept: List[Any] = []
        by_name = {model.name: model for model in models}
        for name in dict.fromkeys(names):
            taken = self.maps[name] = CellMap()
            handler = lib.CELLS_HANDLER(lambda _, frame, taken=taken: taken.take(frame))
            model = by_name[name].handle if name in by_name else None
            given = lib.Map(sizeof(lib.Map), model, None if model else name.encode(), cell, handler, None)
            self._kept += [handler, given]
            lib.call("vmaf_turbo_use_map", context, byref(given))
        for name, frame, (x, y, width, height) in region_places(regions):
            place = lib.Region(sizeof(lib.Region), name.encode(), x, y, width, height, int(frame >= 0), max(frame, 0))
            lib.call("vmaf_turbo_use_region", context, byref(place))


def arguments(folder: str, names: Sequence[str], cell: int, regions: Regions) -> List[str]:
    """The same as program options; maps go to `folder`."""
    out: List[str] = []
    for i, name in enumerate(names):
        out += ["--map-of", name, "--map", map_file(folder, i)]
    if cell:
        out += ["--map-cell", str(cell)]
    places = region_places(regions)
    out += [word for name, frame, area in places if frame < 0 for word in ("--region", f"{name}={','.join(map(str, area))}")]
    moving = [f"{frame},{name},{','.join(map(str, area))}\n" for name, frame, area in places if frame >= 0]
    if moving:
        path = os.path.join(folder, "regions.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(moving)
        out += ["--regions", path]
    return out


def map_file(folder: str, number: int) -> str:
    return os.path.join(folder, f"map{number}.npy")
