"""The unused blocks that PyTorch keeps for later."""

from __future__ import annotations

import sys
from typing import Any


def empty_cache() -> None:
    """Return unused blocks to the card, where CUDA is up and no graph is being captured."""
    torch = _live_torch()
    if torch is not None and not _capturing(torch):
        torch.cuda.empty_cache()


def _live_torch() -> Any:
    torch, cuda = sys.modules.get("torch"), sys.modules.get("torch.cuda")
    return torch if cuda is not None and cuda.is_initialized() else None


def _capturing(torch: Any) -> bool:
    asks = getattr(torch._C, "_cuda_isCurrentStreamCapturing", None)  # noqa: SLF001 — as torch.cuda.graphs asks
    return bool(asks()) if asks is not None else False
