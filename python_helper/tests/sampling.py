"""What of long lists of cases is tested each time: `GPU_HEADROOM_FULL=1` takes all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    Case = TypeVar("Case")

IS_FULL: Final = bool(os.environ.get("GPU_HEADROOM_FULL"))


def sample(cases: Iterable[Case], every: int = 2) -> list[Case]:
    """Return one of `every` so many cases, beginning with the first; all where all are wanted.

    For cases of a kind, which take seconds each and hardly ever fail alone.
    """
    return list(cases)[:: 1 if IS_FULL else every]
