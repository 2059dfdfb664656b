"""A limit of one's own on what PyTorch takes of a card is lifted."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.find import calls, keyword
from ..code.notebook import CodePlace
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "unlimited.more": (
        "No button: the limit is not set once for all, in a line of its own ({cell}, line {line})."
    ),
}
_LIMITS = "set_per_process_memory_fraction"


def unlimited() -> Rewrite:
    """`unlimited()`: PyTorch may take all of the card: `set_per_process_memory_fraction(1.0)`.

    For the one line that says so, outside of loops and functions, where nothing else asks for it.
    """
    return _unlimited().asking(lambda gate, _: gate.unread(), _is_one_line)


@rewriting
def _unlimited(source: CellSource) -> None:
    for call in calls(source.tree, _LIMITS):
        given = call.args[0] if call.args else getattr(keyword(call, "fraction"), "value", None)
        if given is not None and source.text_of(given) != "1.0":
            source.replace(given, "1.0")


def _is_one_line(gate: Gate, _: CellCode) -> Message | None:
    found = list(gate.notebook.calls(_LIMITS))
    places = {(cell.key, call.lineno) for cell, call in found}
    cell, call = found[0]
    around = list(cell.parents(call))
    is_line = len(around) == 2 and isinstance(around[0], ast.Expr)  # noqa: PLR2004  and the module
    other = next(iter(gate.notebook.calls("get_per_process_memory_fraction")), None)
    handed = gate.notebook.escapes(_LIMITS)
    if len(places) == 1 and is_line and other is None and handed is None:
        return None
    place = found[-1] if other is None else other
    return CodePlace.of(place[0], place[1]).says("unlimited.more", TEXTS)
