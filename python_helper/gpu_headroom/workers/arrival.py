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
        """Find nothing; once what is waited for is there, call, and be asked no more."""
        del fullname, path, target
        if imported(self._name) is not None:
            with suppress(Exception):
                # Another list: whoever imports now, on any thread, would skip one in this one.
                sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
                self._call()
        return None
