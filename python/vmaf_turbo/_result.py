"""Scores of a clip: pooled, by frame, as a table, as a chart."""
from __future__ import annotations

import html
import json
import math
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._maps import CellMap

from ._errors import InvalidInput


@dataclass(frozen=True)
class Pooled:
    """One metric over all frames."""

    min: float
    max: float
    mean: float
    harmonic_mean: float


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


@dataclass(frozen=True, repr=False)
class Result:
    """Scores of a clip. `float(result)` is the mean of its first model or metric."""

    pooled: Dict[str, Pooled]
    rows: List[Dict[str, float]]  # one per frame, with its number as "frame"
    models: Sequence[str] = ()
    backend_used: str = "cpu"
    document: Dict[str, Any] = field(default_factory=dict)
    cell_maps: Mapping[str, CellMap] = field(default_factory=dict)

    def __repr__(self) -> str:
        if not self.pooled:
            return f"<Result: {len(self.rows)} frames>"
        return f"<Result: {self._main()} {float(self):.4f}, {len(self.rows)} frames, {self.backend_used}; scores: {', '.join(self.pooled)}>"

    def __float__(self) -> float:
        return self.pooled[self._main()].mean

    def _main(self) -> str:
        return self.models[0] if self.models else next(iter(self.pooled))

    @property
    def names(self) -> List[str]:
        """Names of the scores, in the order of the document."""
        return list(dict.fromkeys(name for row in self.rows for name in row if name != "frame"))

    def percentile(self, p: float, name: Optional[str] = None) -> float:
        """A percentile over the frames, 0 to 100, as `vmaf --percentiles` has it; of the first model or metric unless named.

        >>> Result({}, [{"frame": i, "vmaf": 80.0 + i} for i in range(20)], ["vmaf"]).percentile(5)
        81.0
        """
        name = name or self._main()
        values = sorted(row[name] for row in self.rows if name in row)
        if not values:
            raise InvalidInput(f"unknown score '{name}'; there are {', '.join(self.names)}")
        if not 0 <= p <= 100:
            raise InvalidInput(f"{p} is not a percentile; use 0 to 100")
        if any(map(math.isnan, values)):
            return math.nan
        return values[min(math.floor(p * len(values) / 100), len(values) - 1)]

    @property
    def frames(self) -> Any:
        """A NumPy record array: the field `frame`, and one per score (NaN if a frame has none)."""
        try:
            import numpy as np
        except ImportError:
            raise ImportError("frames is a NumPy array, and NumPy is not installed; rows has the same data as dictionaries") from None
        names = self.names
        out = np.empty(len(self.rows), dtype=[("frame", np.int64), *((name, np.float64) for name in names)])
        for i, row in enumerate(self.rows):
            out[i] = (int(row["frame"]), *(row.get(name, math.nan) for name in names))
        return out.view(np.recarray)

    @property
    def maps(self) -> Dict[str, Any]:
        """NumPy arrays (frames, rows, columns) of float32 by score: local scores of cells."""
        return {name: cells.as_array() for name, cells in self.cell_maps.items()}

    @property
    def map_edges(self) -> Tuple[List[int], List[int]]:
        """The cell edges in pixels, across and down, including the last ones."""
        for cells in self.cell_maps.values():
            return cells.x, cells.y
        return [], []

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row per frame."""
        import pandas
        return pandas.DataFrame(self.rows).set_index("frame")

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws scores by frame with matplotlib: the models' by default, or those named. Returns the axes."""
        for name in names:
            if name not in self.names:
                raise InvalidInput(f"unknown score '{name}'; there are {', '.join(self.names)}")
        import matplotlib.pyplot as plt
        ax = ax or plt.subplots(figsize=(9, 3))[1]
        for name in names or self.models or self.names[:1]:
            ax.plot([row["frame"] for row in self.rows if name in row], [row[name] for row in self.rows if name in row], label=name)
        ax.set_xlabel("frame")
        ax.legend()
        return ax

    def _repr_html_(self) -> str:
        lines = [f"<tr><td>{html.escape(name)}</td>" + "".join(f"<td>{value:.4f}</td>" for value in (p.mean, p.min, p.harmonic_mean, p.max)) + "</tr>"
                 for name, p in self.pooled.items()]
        main = self._main()
        return (f"<div>{_chart([row.get(main, math.nan) for row in self.rows])}<div>{html.escape(main)} by frame, {len(self.rows)} frames, "
                f"{html.escape(self.backend_used)}</div><table><tr><th></th><th>mean</th><th>min</th><th>harmonic mean</th><th>max</th></tr>"
                + "".join(lines) + "</table></div>")


def _chart(values: Sequence[float], width: int = 480, height: int = 90) -> str:
    points = [(i, value) for i, value in enumerate(values) if math.isfinite(value)]
    if not points:
        return ""
    low, high = min(v for _, v in points), max(v for _, v in points)
    across, up = max(len(values) - 1, 1), (high - low) or 1.0
    line = " ".join(f"{i / across * width:.1f},{height - 4 - (v - low) / up * (height - 8):.1f}" for i, v in points)
    return (f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
            f'<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="1.5"/></svg>')


def read_document(path: str, models: Sequence[str]) -> Result:
    """A JSON document of `vmaf` or of the library."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return from_document(document, models)


def from_document(document: Dict[str, Any], models: Sequence[str]) -> Result:
    pooled = {name: Pooled(*(_number(entry.get(key)) for key in ("min", "max", "mean", "harmonic_mean")))
              for name, entry in document.get("pooled_metrics", {}).items()}
    rows = [{"frame": frame["frameNum"], **{name: _number(value) for name, value in frame["metrics"].items()}} for frame in document["frames"]]
    used: Optional[str] = document.get("backend_used")
    return Result(pooled, rows, tuple(models), used or "cpu", document)
