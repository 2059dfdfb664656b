"""What a remedy is made of: its text, where it ranks, and the edit behind its button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from ..protocol.wire import Diff, Edit, Message, Remedy

    class Fix(Protocol):
        """A change of code that is proven anew each time it is asked for."""

        def edits(self, sources: Mapping[str, str]) -> FixOutcome:
            """Return the edit for cells of `sources` (cell id to text), or why there is none."""


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """The edit of a fix for the cells as they are now; `run` are cell ids in order."""

    status: Literal["ok", "changed", "unknown"]
    edits: tuple[Edit, ...]
    run: tuple[str, ...]
    message: Message


class Edited(NamedTuple):
    """What a change of code looks like, and the fix that makes it where its cells can run again.

    `reason` says why there is no fix: it could not be proven on the whole program. `attempt` is
    the change all the same, to be tried where nothing can be lost.
    """

    diffs: tuple[Diff, ...] = ()
    fix: Fix | None = None
    reason: Message | None = None
    attempt: Fix | None = None


UNCHANGED = Edited()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A remedy that the evidence supports, with an estimate of its effect.

    It is an edit where `edited` has a fix, else what `kind` says: mostly advice. A lower `rank`
    comes first, then the larger effect. `id` is the name of the remedy that made it.
    """

    title: Message
    note: Message
    effect_bytes: int | None
    measured: bool = False
    at_least: bool = False
    kind: Literal["release", "snippet", "advice", "restart", "save"] = "advice"
    type_this: str | None = None
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
            "reason": self.edited.reason,
        }
