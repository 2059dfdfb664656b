"""Displayed values on the GPU that no name of the user's holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..holders.names import name_roots
from ..holders.storage import Torch
from ..holders.walk import Place, Walk

if TYPE_CHECKING:
    from collections.abc import Callable

_LAST = ("_", "__", "___")


def unnamed_outputs(shell: Any) -> list[int]:
    """Return the `n` of each `Out[n]` that keeps GPU memory which no variable keeps."""
    holds = _unnamed(shell)
    return [n for n, value in list(shell.history_manager.output_hist.items()) if holds(value)]


def purge_outputs(shell: Any) -> None:
    """Take such values out of the history. `Out`, `_` and `_n` go on working.

    IPython keeps each value in several places, `user_ns_hidden` among them; `_` must change in
    all of them together, or IPython takes it for the user's own and stops updating it.
    """
    holds = _unnamed(shell)
    spaces = (shell.user_ns, shell.user_ns_hidden)
    history = shell.history_manager.output_hist
    for n, value in [(n, value) for n, value in list(history.items()) if holds(value)]:
        del history[n]
        for space in spaces:
            if space.get(f"_{n}") is value:  # the user may have taken the name
                del space[f"_{n}"]
    for name in _LAST:
        value = getattr(shell.displayhook, name, None)
        if value is not None and holds(value):
            setattr(shell.displayhook, name, None)
            for space in spaces:
                if space.get(name) is value:
                    space[name] = None
    result = getattr(shell, "last_execution_result", None)
    if result is not None and result.result is not None and holds(result.result):
        result.result = None


def _unnamed(shell: Any) -> Callable[[object], bool]:
    """Return whether a value keeps GPU memory in use that the user's names do not keep."""
    torch = Torch.loaded()
    if torch is None:
        return lambda _: False
    named = Walk(torch)
    named.run(name_roots(shell))
    keys = {held.storage.key for held in named.ledger}
    complete = not named.truncated

    def holds(value: object) -> bool:
        walk = Walk(torch)
        walk.run([(value, Place("outputs", ""))])
        return complete and any(held.storage.key not in keys for held in walk.ledger)

    return holds
