"""What a remedy is made of: its text, where it ranks, and the edit behind its button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .code_fix import UNCHANGED, Edited

if TYPE_CHECKING:
    from typing import Literal

    from ..protocol.generated.wire import Message, Remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A remedy that the evidence supports, with an estimate of its effect.

    It is an edit where `edited` has a fix, else what `kind` says: mostly a suggestion, whose
    `example` is code in the user's names where that is cheap. A lower `rank` comes first, then the
    larger effect. `id` is the name of the remedy that made it.
    """

    title: Message
    note: Message
    effect_bytes: int | None
    measured: bool = False
    at_least: bool = False
    kind: Literal["release", "snippet", "suggestion", "restart", "save"] = "suggestion"
    type_this: str | None = None
    example: str | None = None
    edited: Edited = UNCHANGED
    rank: int = 1
    id: str = ""

    @property
    def remedy(self) -> Remedy:
        """The remedy as it travels."""
        known: Literal["measured", "at_least", "estimated"] = (
            "measured" if self.measured else "at_least" if self.at_least else "estimated"
        )
        return {
            "id": self.id,
            "kind": self.kind if self.edited.fix is None else "edit",
            "title": self.title,
            "note": self.note,
            "effect_bytes": self.effect_bytes,
            "effect_quality": "not_measured" if self.effect_bytes is None else known,
            "type_this": self.type_this,
            "diffs": list(self.edited.diffs),
            "example": self.example,
        }
