"""Functions of the kernel that a frame may call by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_callbacks: dict[str, Callable[..., Any]] = {}


def register_callback(function_name: str, callback: Callable[..., Any]) -> None:
    """Let frames call `callback` by `function_name`; a later one takes its place."""
    _callbacks[function_name] = callback


def _invoke(function_name: str, args: str, kwargs: str) -> Any:
    """Call a function as the page has it called; both are JSON.

    Raises KeyError where nobody registered the name.
    """
    return _callbacks[function_name](*json.loads(args), **json.loads(kwargs))
