"""What a remedy is made of: its text, where it ranks, and the edit behind its button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from ..protocol.wire import Edit, Message, Remedy


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """The edit of a fix for the cells as they are now; `run` are cell ids in order."""

    status: Literal["ok", "changed", "unknown"]
    edits: tuple[Edit, ...]
    run: tuple[str, ...]
    message: Message


class Fix(Protocol):
    """A change of code that is proven anew each time it is asked for."""

    def edits(self, sources: Mapping[str, str]) -> FixOutcome:
        """Return the edit for cells of these `sources` (cell id to text), or why there is none."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A remedy that the evidence supports. A lower `rank` comes first, then the larger effect."""

    remedy: Remedy
    rank: int
    fix: Fix | None = None
