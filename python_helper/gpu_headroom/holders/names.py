"""The user's names and the history of displayed values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..inspection.tables import items_of
from .place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    Root = tuple[Any, Place]


LAST = ("_", "__", "___")
_INPUT_HISTORY = re.compile(r"_i{1,3}|_ih|_dh|_i\d+|In")
_OUTPUT = re.compile(r"_(\d+)")


def user_names(shell: Any) -> dict[str, Any]:
    """Return the variables a user made: neither IPython's own nor its output history."""
    hidden = shell.user_ns_hidden
    outputs = shell.history_manager.output_hist
    return {
        name: value
        for name, value in items_of(shell.user_ns)
        if type(name) is str
        and value is not outputs
        and not _is_ipythons(name, value, hidden)
        and not _INPUT_HISTORY.fullmatch(name)
    }


def namespaces(shell: Any) -> list[dict[str, Any]]:
    """Return where names of the notebook stand: its own, and those of scripts that `%run` ran.

    It hands on all names of a script, and keeps the script's namespace until that runs again.
    """
    scripts = getattr(shell, "_main_mod_cache", {})
    return [shell.user_ns, *[vars(script) for _, script in items_of(scripts)]]


def name_roots(shell: Any) -> list[Root]:
    """Return the user's variables as places to walk from."""
    return [(value, Place("names", name)) for name, value in user_names(shell).items()]


def output_roots(shell: Any) -> list[Root]:
    """Return what has been displayed: `Out[n]`, then `_` and its like."""
    roots = [
        (value, Place("outputs", f"Out[{count}]"))
        for count, value in items_of(shell.history_manager.output_hist)
    ]
    return roots + [(value, Place("outputs", name)) for name, value in _last_values(shell)]


def _last_values(shell: Any) -> Iterator[tuple[str, Any]]:
    for name in LAST:
        value = getattr(shell.displayhook, name, None)
        if value is not None:
            yield name, value
    result = getattr(shell, "last_execution_result", None)
    displayed = getattr(result, "result", None)
    if displayed is not None:
        yield "_", displayed


def _is_ipythons(name: str, value: Any, hidden: dict[str, Any]) -> bool:
    """IPython lists its own names as hidden; a user may have given one a value of their own."""
    if name in LAST or _OUTPUT.fullmatch(name):
        return name in hidden or name in LAST
    return name in hidden and hidden[name] is value
