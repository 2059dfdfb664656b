"""Detection of a module's import, from the next import that follows; no import is replaced."""

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
    """Meta path finder that calls `call` once module `name` is imported, then removes itself.

    Needed only for modules that are imported in the middle of others, as `torch.cuda` is. Always
    declines to find a module.
    """

    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self._name = name
        self._call = call

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return `None`; once the awaited module is imported, call back and remove this finder."""
        del fullname, path, target
        if imported(self._name) is not None:
            with suppress(Exception):
                # Assign a new list: removing an entry from the old one would make an import that
                # iterates over it, on any thread, skip a finder.
                sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
                self._call()
        return None
