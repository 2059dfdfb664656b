"""What a suggestion is: a row with its sentences, and the condition under which it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from ..text.messages import message
from .remedy import UNCHANGED, Edited, Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..oom.evidence import Evidence
    from .finding import Finding


class Shown(NamedTuple):
    """What is shown of a suggestion; `title` and `note` are the ends of its sentences' ids."""

    params: Mapping[str, str | int | None] = {}
    bytes: int | None = None
    measured: bool = False
    example: str | None = None
    type_this: str | None = None
    title: str = ""
    note: str = "note"
    edited: Edited = UNCHANGED


@dataclass(frozen=True)
class Suggestion:
    """One suggestion: the rules whose causes it removes, when, and its sentences.

    `TEXTS` has the title under `remedy.<id>`, variants and notes under `remedy.<id>.<end>`.
    """

    id: str
    TREATS: tuple[str, ...]
    when: Callable[[Evidence, Finding], Shown | None]
    sentences: Mapping[str, str]
    rank: int = 1
    alone: bool = False
    """Whether it may be shown where no cause was found."""
    TEXTS: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Give the sentences their ids."""
        own = {self._id(end): text for end, text in self.sentences.items()}
        object.__setattr__(self, "TEXTS", own)

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
            message(self._id(end), self.TEXTS, **shown.params) for end in (shown.title, shown.note)
        )
        return Offer(
            title=title,
            note=note,
            effect_bytes=shown.bytes,
            measured=shown.measured,
            type_this=shown.type_this,
            example=shown.example,
            edited=shown.edited,
            rank=self.rank,
        )
