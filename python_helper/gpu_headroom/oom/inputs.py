"""Check whether inputs of the failing code require gradients, which are then its purpose.

Examples are attribution, adversarial examples and penalties. The check reads the tensors in the
frames, except parameters of models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..code.parsing import words_in
from ..holders.frames import is_installed, locals_of
from ..inspection.kinds import mro, name_of
from .failing_line import CALLS_MODEL
from .operation import text_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..holders.inspector import Inspector

_MOST_FRAMES = 200


def inputs_require_grad(error: BaseException, inspector: Inspector) -> bool:
    """Return whether a tensor with gradients goes into the call that failed."""
    given, step = list[Any](), error.__traceback__
    while step is not None:
        frame, variables = step.tb_frame, locals_of(step.tb_frame)
        if frame.f_code.co_name in CALLS_MODEL:
            given += _within([variables.get("args"), variables.get("kwargs")])
            break
        if is_installed(frame):
            pass
        elif frame.f_code.co_name == "<module>":
            read = words_in(text_at(frame.f_code, step.tb_lasti, step.tb_lineno) or "")
            given += _within([variables.get(name) for name in read])
        else:  # of a round before, `out` has a graph as well, but is no leaf
            given += [v for v in variables.values() if _is_leaf(v, inspector)]
        step = step.tb_next
    return any(_requires_grad(value, inspector) for value in given)


def _within(values: Iterable[Any]) -> list[Any]:
    """Return values, and what plain containers among them have."""
    all_values = list(values)
    for value in all_values:  # it grows meanwhile
        if len(all_values) < _MOST_FRAMES and type(value) in (list, tuple):
            all_values += value
        elif len(all_values) < _MOST_FRAMES and type(value) is dict:
            all_values += value.values()
    return all_values


def _requires_grad(value: Any, inspector: Inspector) -> bool:
    torch = inspector.torch
    if torch is None or not inspector.is_tensor(value):
        return False
    is_parameter = any(name_of(base) == "Parameter" for base in mro(type(value)))
    return not is_parameter and bool(torch.get(value, "requires_grad"))


def _is_leaf(value: Any, inspector: Inspector) -> bool:
    torch = inspector.torch
    return (
        torch is not None and _requires_grad(value, inspector) and bool(torch.get(value, "is_leaf"))
    )
