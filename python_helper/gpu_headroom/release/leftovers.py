"""What a loop of the notebook left behind: its last item, and what only its body uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .variables import deletions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .freeable import Freeable
    from .situation import Situation


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the variables that only loops assign and read."""
    return deletions(situation, "leftover")
