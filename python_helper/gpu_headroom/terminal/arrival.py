"""Knows when a module has been imported, by what is imported next; finds and loads nothing."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from ..frameworks.imported import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class Arrival:
    """A finder that finds nothing: it calls once a module is there, and goes.

    Only of use for modules that are imported in the middle of others, as `torch.cuda` is.
    """

    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self._name = name
        self._call = call

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Ask the finders behind this one where it goes: whoever asks would leave one out."""
        if imported(self._name) is None:
            return None
        with suppress(Exception):
            sys.meta_path.remove(self)
            self._call()
        for finder in sys.meta_path.copy():
            find = getattr(finder, "find_spec", None)  # as importlib does
            spec: ModuleSpec | None = find and find(fullname, path, target)
            if spec is not None:
                return spec
        return None
