"""Tensors that a cell displayed: IPython remembers each in `Out`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import FREE, Finding

if TYPE_CHECKING:
    from ...holders.groups import Group
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.displayed-values": (
        "**Displayed values keep {held_bytes}** of the {in_use_bytes} in tensors."
    ),
    "cause.displayed-values.evidence": (
        "IPython remembers what a cell displays: {count} values, the largest is `{name}`. End a "
        "cell's last line with `;` and its value is not kept."
    ),
}
_SHARE = 0.1


def check(evidence: Evidence) -> Finding | None:
    """Speak where the output history alone holds a good part of what is in use."""
    kept = displayed(evidence)
    if not kept:
        return None
    size = sum(group.bytes for group in kept)
    return Finding(
        message(
            "cause.displayed-values",
            TEXTS,
            held_bytes=size,
            in_use_bytes=evidence.memory.in_use_bytes,
        ),
        message(
            "cause.displayed-values.evidence",
            TEXTS,
            count=len({group.root for group in kept}),
            name=kept[0].root,
        ),
        bytes=size,
        price=FREE,
        about=tuple(kept),
    )


def displayed(evidence: Evidence) -> list[Group]:
    """Return what the output history alone holds, where it is a good part of what is in use."""
    kept = [group for group in evidence.groups if group.origin == "outputs"]
    return kept if evidence.share(sum(group.bytes for group in kept)) >= _SHARE else []
