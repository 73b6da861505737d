"""VMAF and its family of metrics for arrays and video files.

>>> import vmaf_turbo as vt
>>> vt.score_files("master.mov", "encode.mkv").pooled["vmaf"].mean      # doctest: +SKIP
94.31
>>> import numpy as np
>>> ref = np.full((3, 64, 64), 128, np.uint8)       # three luma frames
>>> vt.vmaf(ref, ref).pooled["vmaf"].min > 95
True

Scores are computed by `libvmaf.so.3` of vmaf-turbo, which the package carries: they equal the `vmaf` program's in every digit.
"""
from typing import TYPE_CHECKING

from ._errors import BackendUnavailable, InvalidInput, OutOfMemory, VmafError
from ._files import capabilities, features, score_files
from ._library import models, version
from ._result import Pooled, Result
from ._scorer import Scorer, vmaf

if TYPE_CHECKING:
    from ._torch import TorchMetric

__all__ = ["BackendUnavailable", "InvalidInput", "OutOfMemory", "Pooled", "Result", "Scorer", "TorchMetric", "VmafError",
           "capabilities", "features", "models", "score_files", "version", "vmaf"]
__version__ = version()


def __getattr__(name: str) -> object:
    if name == "TorchMetric":  # torchmetrics is slow to import, and optional
        from ._torch import TorchMetric
        return TorchMetric
    raise AttributeError(f"module 'vmaf_turbo' has no attribute '{name}'")
