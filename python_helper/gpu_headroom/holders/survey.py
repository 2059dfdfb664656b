"""One survey of a kernel: names, displayed values, tracebacks, and what only the gc still knows."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .frames import frame_roots, last_tracebacks
from .graphs import visit_graphs
from .names import name_roots, output_roots
from .storage import Torch
from .walk import DEFAULT_BUDGET_S, Place, Walk

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from .ledger import Ledger
    from .modules import Model
    from .names import Root

# Shares of the budget by which each stage must have ended, so that none starves the next.
_UNTIL_NAMES = 0.4
_UNTIL_OUTPUTS = 0.5
_UNTIL_TRACEBACK = 0.8


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found; `complete` is false when the budget of time ended it."""

    ledger: Ledger
    models: tuple[Model, ...]
    complete: bool


def survey(
    shell: Any,
    *,
    tracebacks: Iterable[TracebackType] | None = None,
    elsewhere: bool = True,
    budget_s: float = DEFAULT_BUDGET_S,
) -> Survey | None:
    """Walk from everything that keeps memory alive, most lasting first; `None` without PyTorch.

    A storage belongs to the first origin that reaches it: what is left to the tracebacks is
    held by nothing else. `tracebacks` are those that are remembered unless given;
    `elsewhere` also asks the gc for objects that no name reaches. Holds nothing afterwards.
    """
    torch = Torch.loaded()
    if torch is None:
        return None
    walk = Walk(torch, budget_s=budget_s)
    remembered = last_tracebacks(shell) if tracebacks is None else tracebacks
    for roots, until in (
        (name_roots(shell), _UNTIL_NAMES),
        (output_roots(shell), _UNTIL_OUTPUTS),
        *((roots, _UNTIL_TRACEBACK) for roots in frame_roots(remembered, shell)),
    ):
        walk.run(roots, until=until)
        visit_graphs(walk)
    if elsewhere:
        walk.run(_unreached(walk))
        visit_graphs(walk)
    return Survey(walk.ledger, tuple(walk.models), complete=not walk.truncated)


def earlier_traceback_bytes(device_index: int) -> int | None:
    """Return what only the errors of earlier cells keep in use; `None` where there are none.

    Called while a cell runs: reads the remembered frames, never the running ones.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    tracebacks = last_tracebacks(shell) if shell is not None else []
    found = survey(shell, tracebacks=tracebacks, elsewhere=False) if tracebacks else None
    return found.ledger.bytes(device_index, origin="traceback") if found else None


def _unreached(walk: Walk) -> list[Root]:
    """Return the models, optimizers and tensors that the gc knows and no walk came by."""
    torch = walk.torch
    wanted = (torch.tensor, torch.nn_module, torch.optimizer)
    place = Place("elsewhere", "")
    known: dict[type, bool] = {}
    found = []
    for value in gc.get_objects():
        kind = type(value)
        if kind not in known:
            known[kind] = any(each in wanted for each in kind.__mro__)
        if known[kind]:
            found.append((value, place))
    return found
