"""Mixed precision in a plain training loop."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import calls, dotted
from ..code.notebook import CodePlace
from ..code.source import Refused
from ..code.training import training_step
from ..text.messages import message
from .rewrite import rewriting

if TYPE_CHECKING:
    from ..code.gate import Gate
    from ..code.notebook import CellCode, Notebook
    from ..code.source import CellSource
    from ..protocol.wire import Message
    from .rewrite import Rewrite

TEXTS = {
    "autocast.values": (
        "No button: `{dtype}` keeps about three digits, and whether they are enough for what is "
        "computed here cannot be told. Try it, and compare the loss."
    ),
    "autocast.refused": "No button: PyTorch refuses to compute `BCELoss` under `autocast`.",
    "autocast.already": "No button: {cell}, line {line} chooses types itself.",
    "autocast.keras": (
        "No button: it holds for all models that are made after it, and their outputs change type."
    ),
    "autocast.trainer": (
        "No button: which values in half precision the trainer hands to your code cannot be told."
    ),
}
# What PyTorch refuses to compute under autocast, in whatever cell it stands.
_UNSAFE = re.compile(r"\bBCELoss\b|\bbinary_cross_entropy\b")
_CLIPS = re.compile(r"clip|grad")
# Numbers of more than five digits, and code that has gradients in its hands.
_BEYOND = re.compile(
    r"\bmasked_fill_?\(.*\d(e[5-9]|e\d\d|\d{5})|\bgrad\b|register_hook|backward_hook"
)
_HALF = ("autocast", "GradScaler", "half", "bfloat16")
_CHOOSES = (*_HALF, "double", "set_default_dtype")


@rewriting
def _autocast(source: CellSource, torch: str, device: str, dtype: str) -> None:
    step = training_step(source)
    first, last = step.forward
    if any(calls(source.tree, *_HALF)) or _UNSAFE.search(source.text):
        raise Refused
    source.wrap(first, last, f'with {torch}.autocast("{device}", dtype={torch}.{dtype}):')


def autocast(torch: str = "torch", device: str = "cuda", dtype: str = "bfloat16") -> Rewrite:
    """`autocast(torch)`: the forward pass and the loss run in bfloat16, the backward pass does not.

    `torch` is the name that PyTorch is imported under. Never a button: of values near 2000 whose
    differences matter, nothing is left in eight bits. `float16` wants `scaled` besides.
    """
    return _autocast(torch, device, dtype).asking(partial(_as_good, dtype=dtype))


@rewriting
def scaled(source: CellSource, scaler: str, name: str) -> None:
    """`scaled("torch.amp.GradScaler()", "scaler")`: small gradients do not become 0 in float16.

    One scaler for all rounds, under a name that nobody has. Gradients are clipped as they are.
    Refused where there is not one step of one optimizer behind the backward pass; not for what
    `is_beyond_float16`.
    """
    step = training_step(source)
    steps = [call for call in calls(source.tree, "step") if "sched" not in dotted(call.func)]
    if len(steps) != 1 or name in source.text:
        raise Refused
    call = steps[0]
    optimizer, statement = dotted(call.func).rpartition(".")[0], source.statement(call)
    backward, end = source.span(step.backward), source.span(statement)
    if not optimizer or call.args or source.loop(call) is not step.loop or end < backward:
        raise Refused
    # Of several batches for a step the block of the step is another.
    between = [each for each in source.body(statement) if backward < source.span(each) < end]
    clips = [each for each in between if _CLIPS.search(source.text_of(each))]
    first = (*clips, statement)[0]
    if _CLIPS.search(source.text[backward[1] : source.span(first)[0]]):
        raise Refused
    top = source.top(call)
    if "import torch" in source.text_of(top):
        raise Refused
    source.before(top, f"{name} = {scaler}")
    source.replace(step.loss, f"{name}.scale({source.text_of(step.loss)})")
    if clips:
        source.before(first, f"{name}.unscale_({optimizer})")
    source.replace(call, f"{name}.step({optimizer})")
    source.after(statement, f"{name}.update()")


def is_beyond_float16(notebook: Notebook) -> bool:
    """Return whether code masks with more than float16 reaches, or has gradients in its hands.

    PyTorch refuses the one; the other would read scaled gradients.
    """
    return any(_BEYOND.search(cell.source) for cell in (*notebook.files, *notebook.cells))


def of_a_trainer(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: what a trainer hands to a person's code, and what that keeps, nobody sees."""
    return message("autocast.trainer", TEXTS)


def of_keras(_gate: Gate, _cell: CellCode) -> Message | None:
    """Refuse: a policy holds for all that comes after it."""
    return message("autocast.keras", TEXTS)


def _as_good(gate: Gate, _cell: CellCode, dtype: str) -> Message | None:
    """Refuse: the bits of a value may be all that a difference or a sum of it needs, or not."""
    for chosen in _CHOOSES:
        for where, call in gate.notebook.calls(chosen):
            return CodePlace.of(where, call).says("autocast.already", TEXTS)
    if any(_UNSAFE.search(cell.source) for cell in gate.notebook.cells):
        return message("autocast.refused", TEXTS)
    return message("autocast.values", TEXTS, dtype=dtype)
