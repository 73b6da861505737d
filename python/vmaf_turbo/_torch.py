"""VMAF as a torchmetrics metric."""
from __future__ import annotations

from typing import Any

try:
    import torch
    from torchmetrics import Metric
except ImportError as problem:
    raise ImportError(f"TorchMetric needs torch and torchmetrics: {problem}") from None

from ._errors import InvalidInput
from ._scorer import vmaf


class TorchMetric(Metric):  # type: ignore[misc]
    """The mean VMAF of clips, weighted by their frames.

    `update(preds, target)` takes a clip (T, C, H, W) or a batch of clips (B, T, C, H, W), C being 3 (RGB) or 1 (luma), on the CPU or a GPU. Further
    arguments are those of `vmaf_turbo.vmaf`. States are sums, so results of several processes are added up.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    def __init__(self, *, model: str = "vmaf_v0.6.1", backend: str = "auto", bits: Any = None, chroma: str = "420", threads: Any = None,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.settings = {"model": model, "backend": backend, "bits": bits, "chroma": chroma, "threads": threads}
        self.add_state("total", default=torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("frames", default=torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, preds: Any, target: Any) -> None:
        if preds.shape != target.shape or preds.ndim not in (4, 5):
            raise InvalidInput(f"preds {tuple(preds.shape)} and target {tuple(target.shape)} must be clips (T, C, H, W), or batches of them, of one shape")
        if preds.ndim == 4:
            preds, target = preds[None], target[None]
        for dist, ref in zip(preds, target):
            result = vmaf(self._frames(ref), self._frames(dist), **self.settings)
            self.total += float(result) * len(result.rows)
            self.frames += len(result.rows)

    @staticmethod
    def _frames(clip: Any) -> Any:
        return clip[:, 0] if clip.shape[1] == 1 else clip

    def compute(self) -> Any:
        if not int(self.frames):
            raise InvalidInput("nothing to compute; call update() first")
        return self.total / self.frames
