"""Mixed precision in a plain training loop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..code.find import calls, under
from ..code.notebook import CodePlace
from ..code.source import Refused
from ..code.training import training_step
from ..text.messages import message
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "autocast.values": (
        "No button: `bfloat16` keeps about three digits, and whether they are enough for what is "
        "computed here cannot be told. Try it, and compare the loss."
    ),
    "autocast.refused": "No button: PyTorch refuses to compute `BCELoss` under `autocast`.",
    "autocast.already": "No button: {cell}, line {line} chooses types itself.",
    "autocast.keras": (
        "No button: it holds for all models that are made after it, and their outputs change type."
    ),
    "autocast.trainer": (
        "No button: which values of `bfloat16` the trainer hands to your code cannot be told."
    ),
}
# What PyTorch refuses to compute under autocast, in whatever cell it stands.
_UNSAFE = re.compile(r"\bBCELoss\b|\bbinary_cross_entropy\b")
_CHOOSES = ("autocast", "GradScaler", "half", "bfloat16", "double", "set_default_dtype")


@rewriting
def _autocast(source: CellSource, torch: str, device: str) -> None:
    step = training_step(source)
    first, last = step.forward
    if any(calls(source.tree, "autocast", "GradScaler", "half", "bfloat16")) or _UNSAFE.search(
        source.text
    ):
        raise Refused
    if under(source.parents(first), "autocast"):
        raise Refused
    source.wrap(first, last, f'with {torch}.autocast("{device}", dtype={torch}.bfloat16):')


def autocast(torch: str = "torch", device: str = "cuda") -> Rewrite:
    """`autocast(torch)`: the forward pass and the loss run in bfloat16, the backward pass does not.

    `torch` is the name that PyTorch is imported under. Never a button: of values near 2000 whose
    differences matter, nothing is left in eight bits.
    """
    return _autocast(torch, device).asking(_as_good)


def of_a_trainer(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: what a trainer hands to a person's code, and what that keeps, nobody sees."""
    return message("autocast.trainer", TEXTS)


def of_keras(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: a policy holds for all that comes after it."""
    return message("autocast.keras", TEXTS)


def _as_good(gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: eight bits of a value may be all that a difference or a sum of it needs, or not."""
    for chosen in _CHOOSES:
        for where, call in gate.notebook.calls(chosen):
            return CodePlace.of(where, call).says("autocast.already", TEXTS)
    refused = any(_UNSAFE.search(cell.source) for cell in gate.notebook.cells)
    return message("autocast.refused" if refused else "autocast.values", TEXTS)
