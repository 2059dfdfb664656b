"""A possible cause of a failure, with its evidence and the bytes it explains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..text.messages import message, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..cells.runs import CellRun
    from ..code.literals import SizeLiteral
    from ..frameworks.view import FrameworkReading
    from ..holders.groups import Group
    from ..holders.modules import Model
    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Message

FREE = 0
"""No cost: only unused memory goes."""
A_LINE = 1
"""A line of code changes, and no result."""
TRADED = 2
"""A cost in time or precision, or another course of training."""
ANOTHER = 3
"""Another model or another GPU."""


class Finding(NamedTuple):
    """A possible cause; `bytes` is what it explains, `None` if that is no amount.

    `price` is the cost of its removal. `certain`: no other cause matters in addition. `grew`:
    earlier iterations fitted, and this is what has been added since. `about` are its groups, the
    largest first; offers use these, or its `model`, or another `framework`. `is_remade`: the value
    was about to be replaced; `is_left`: it has been replaced, and is not used any more.
    """

    rule: str
    claim: Message
    evidence: Message
    bytes: int | None
    price: int
    certain: bool = False
    grew: bool = False
    about: tuple[Group, ...] = ()
    model: Model | None = None
    is_remade: bool = False
    is_left: bool = False
    framework: FrameworkReading | None = None


def cause(  # noqa: PLR0913  what a cause is made of
    evidence: Evidence,
    texts: Mapping[str, str],
    rule: str,
    end: str,
    params: Mapping[str, Any],
    *,
    price: int,
    **more: Any,
) -> Finding:
    """Return a cause: its sentences are `cause.{rule}`, of a variant behind a dot, and its `end`.

    Each has those of `params` that it shows; `held_bytes`, if any, are what the cause explains.
    """
    values: dict[str, Any] = {"in_use_bytes": evidence.memory.in_use_bytes, **params}
    of_rule = rule.partition(".")[0]
    claimed, evident = (
        message(
            name,
            texts,
            **{key: value for key, value in values.items() if f"{{{key}}}" in texts[name]},
        )
        for name in (f"cause.{rule}", f"cause.{of_rule}.{end}")
    )
    size = values.get("held_bytes")
    return Finding(of_rule, claimed, evident, bytes=size, price=price, **more)


def place_of(number: SizeLiteral, failed: CellRun) -> str:
    """Return the position of a number, as text for a sentence of a failed cell's report."""
    cell, line = number.cell, number.line
    if cell.path is not None:
        return say("place.file", file=cell.path, line=line)
    if cell.key == failed.key:
        return say("place.here", line=line)
    return say("place.cell", line=line, execution_count=cell.execution_count)
