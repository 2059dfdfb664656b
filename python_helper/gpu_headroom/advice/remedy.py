"""What a remedy is made of: its text, where it ranks, and the edit behind its button.

Remedies are rows of a table, each with its sentences and its condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from ..edits.code_fix import UNCHANGED, Edited
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Message, Remedy
    from .finding import Finding

    Kind = Literal["release", "snippet", "suggestion", "restart", "save"]


class Shown(NamedTuple):
    """What a condition shows of its remedy; `title` and `note` are the ends of its sentences' ids.

    It is an edit where `edited` has a fix, else what `kind` says: mostly a suggestion, whose
    `example` is code in the user's names where that is cheap.
    """

    params: Mapping[str, str | int | None] = {}
    bytes: int | None = None
    measured: bool = False
    example: str | None = None
    type_this: str | None = None
    title: str = ""
    note: str = "note"
    edited: Edited = UNCHANGED
    kind: Kind = "suggestion"
    at_least: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A remedy that the evidence supports, with an estimate of its effect.

    A lower `rank` comes first, then the larger effect. `id` is the name of the remedy that made it.
    """

    id: str
    title: Message
    note: Message
    shown: Shown
    rank: int = 1

    @property
    def remedy(self) -> Remedy:
        """The remedy as it travels."""
        shown = self.shown
        known: Literal["measured", "at_least", "estimated"] = (
            "measured" if shown.measured else "at_least" if shown.at_least else "estimated"
        )
        return {
            "id": self.id,
            "kind": shown.kind if shown.edited.fix is None else "edit",
            "title": self.title,
            "note": self.note,
            "effect_bytes": shown.bytes,
            "effect_quality": "not_measured" if shown.bytes is None else known,
            "type_this": shown.type_this,
            "diffs": list(shown.edited.diffs),
            "example": shown.example,
        }


@dataclass(frozen=True)
class Suggestion:
    """A remedy: the rules whose causes it removes, when, and its sentences by their ids.

    `alone`: it may be shown where no cause was found. `replaces`: other remedies of the same idea,
    which are not shown beside it.
    """

    id: str
    treats: tuple[str, ...]
    when: Callable[[Evidence, Finding], Shown | None]
    texts: dict[str, str]
    rank: int
    alone: bool
    replaces: tuple[str, ...]

    def _id(self, end: str) -> str:
        return f"remedy.{self.id}.{end}" if end else f"remedy.{self.id}"

    def offer(self, evidence: Evidence, finding: Finding | None) -> Offer | None:
        """Return it for what was found by one of its rules, where its condition holds."""
        if finding is None and not self.alone:
            return None
        shown = self.when(evidence, cast("Finding", finding))
        if shown is None:
            return None
        title, note = (
            message(self._id(end), self.texts, **shown.params) for end in (shown.title, shown.note)
        )
        return Offer(id=self.id, title=title, note=note, shown=shown, rank=self.rank)


def suggestion(
    name: str,
    *treats: str,
    title: str,
    rank: int = 1,
    alone: bool = False,
    replaces: tuple[str, ...] = (),
    **sentences: str,
) -> Callable[[Callable[[Evidence, Finding], Shown | None]], Suggestion]:
    """Make of a condition a row: its id, the rules that it treats, title, notes and variants."""
    own = f"remedy.{name}"
    texts = {own: title, **{f"{own}.{end}": text for end, text in sentences.items()}}
    return lambda when: Suggestion(name, treats, when, texts, rank, alone, replaces)
