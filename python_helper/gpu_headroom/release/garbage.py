"""Objects that nothing reaches: cycles that Python has not come round to collect."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from ..text.messages import message
from .freeable import Freeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .situation import Situation


def items(_: Situation) -> Iterator[Freeable]:
    """Yield the garbage; what it gives cannot be measured before it is collected."""
    yield Freeable(
        id="garbage",
        kind="garbage",
        title=message("item.garbage"),
        cost=message("item.garbage.cost"),
        gives=None,
        free=_collect,
    )


def _collect() -> None:
    gc.collect()
