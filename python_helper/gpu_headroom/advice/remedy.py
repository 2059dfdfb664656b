"""Remedies: their texts, their rank, and the function that makes an edit of them.

Each is a row of a table, with its sentences and its condition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, cast

from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Diff, Message, Remedy
    from .finding import Finding

    Kind = Literal["release", "snippet", "suggestion", "restart", "save"]


class Shown(NamedTuple):
    """A remedy as it is shown; `title` and `note` are the ends of its sentences' ids.

    With a `fix` it is an edit, whose changes are the `diffs`, else it is what `kind` states: mostly
    a suggestion, whose `example` is code with the user's names if that is cheap.
    """

    params: Mapping[str, str | int | None] = {}
    bytes: int | None = None
    measured: bool = False
    example: str | None = None
    type_this: str | None = None
    title: str = ""
    note: str = "note"
    diffs: tuple[Diff, ...] = ()
    fix: Any = None
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
        quality: Literal["measured", "at_least", "estimated"] = (
            "measured" if shown.measured else "at_least" if shown.at_least else "estimated"
        )
        return {
            "id": self.id,
            "kind": shown.kind if shown.fix is None else "edit",
            "title": self.title,
            "note": self.note,
            "effect_bytes": shown.bytes,
            "effect_quality": "not_measured" if shown.bytes is None else quality,
            "type_this": shown.type_this,
            "diffs": list(shown.diffs),
            "example": shown.example,
        }


class Editing(NamedTuple):
    """The function that makes an edit of the remedy with this `id`, and its further sentences.

    Its argument is what the remedy shows by itself, or `None`; it returns that with diffs and a
    fix, or unchanged.
    """

    id: str
    made: Callable[[Evidence, Finding, Shown | None], Shown | None]
    texts: dict[str, str]


@dataclass(frozen=True)
class Suggestion:
    """A remedy: the rules whose causes it removes, when, and its sentences by their ids.

    `alone`: it may be shown where no cause was found. `replaces`: other remedies of the same idea,
    which are not shown beside it. `edit` is there where a wing has it.
    """

    id: str
    treats: tuple[str, ...]
    when: Callable[[Evidence, Finding], Shown | None]
    texts: dict[str, str]
    rank: int
    alone: bool
    replaces: tuple[str, ...]
    edit: Editing | None = None

    def edited_by(self, edit: Editing | None) -> Suggestion:
        """Return the same remedy with what makes an edit of it."""
        if edit is None:
            return self
        return replace(self, edit=edit, texts={**self.texts, **edit.texts})

    def _id(self, end: str) -> str:
        return f"remedy.{self.id}.{end}" if end else f"remedy.{self.id}"

    def offer(self, evidence: Evidence, finding: Finding | None) -> Offer | None:
        """Return it for what was found by one of its rules, where its condition holds."""
        if finding is None and not self.alone:
            return None
        reason = cast("Finding", finding)
        shown = self.when(evidence, reason)
        if self.edit is not None:
            shown = self.edit.made(evidence, reason, shown)
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
    texts = {f"remedy.{name}": title, **_texts(name, sentences)}
    return lambda when: Suggestion(name, treats, when, texts, rank, alone, replaces)


def edit(
    name: str, **sentences: str
) -> Callable[[Callable[[Evidence, Finding, Shown | None], Shown | None]], Editing]:
    """Make of a function the row of an edit: the id of its remedy, and more variants of that."""
    return lambda made: Editing(name, made, _texts(name, sentences))


def _texts(name: str, sentences: Mapping[str, str]) -> dict[str, str]:
    return {f"remedy.{name}.{end}": text for end, text in sentences.items()}
