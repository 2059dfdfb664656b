"""The unused blocks that PyTorch keeps for later."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..frameworks.torch import private
from ..frameworks.torch.cuda import TorchCuda
from ..text.messages import message
from .freeable import Freeable
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .situation import Situation


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the cache: headroom for others, since this kernel can use it anyway."""
    yield Freeable(
        id="cache",
        kind="cache",
        title=message("item.cache"),
        cost=message("item.cache.cost"),
        gives=None if situation.stopped else _cached(),
        free=_empty_cache,
        safe=True,
        adds_headroom=False,
        blocked=message("item.cache.capturing") if _capturing(situation) else None,
    )


def _empty_cache() -> None:
    """Return whole free segments to the card."""
    torch = _live_torch()
    if torch is not None:
        torch.cuda.empty_cache()


def _live_torch() -> Any:
    torch, cuda = sys.modules.get("torch"), sys.modules.get("torch.cuda")
    return torch if cuda is not None and cuda.is_initialized() else None


def _capturing(situation: Situation) -> bool:
    """Whether a CUDA graph is being captured, which emptying the cache would break."""
    is_live = not situation.stopped and _live_torch() is not None
    return is_live and private.is_capturing()


def _cached() -> Storages | None:
    source = TorchCuda()
    if source.state() != "live":
        return None
    frameworks = (view.framework for view in source.read())
    return Storages({"cache": sum(each.cached_bytes or 0 for each in frameworks if each)})
