"""The files of the notebook's folder that a failing cell has run, or imported."""

from __future__ import annotations

import sys
from traceback import walk_tb
from types import ModuleType
from typing import TYPE_CHECKING

from ..cells.runs import CellRun
from ..cells.values import value_at
from ..code.beside import beside
from ..code.parsing import words_in
from ..holders.frames import is_installed

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 20


def files_of(error: BaseException, cells: Iterable[CellRun]) -> tuple[CellRun, ...]:
    """Return the files on the way to a failure, and modules that they or the cells name.

    Only files that are as they were when the failing cell, the last of these, began.
    """
    *_, last = cells = list(cells)
    frames = [each for each, _ in walk_tb(error.__traceback__) if not is_installed(each)]
    found = dict.fromkeys([each.f_code.co_filename for each in frames])
    files = _read(found, last)
    words = words_in("\n".join([each.source for each in (*cells, *files)]))
    for name, module in list(sys.modules.items()):
        if type(module) is ModuleType and name.rpartition(".")[2] in words:
            path = value_at(vars(module), ("__file__",))
            if type(path) is str and path.endswith(".py") and "-packages" not in path:
                found[path] = None
    return _read(found, last)


def _read(paths: Iterable[str], last: CellRun) -> tuple[CellRun, ...]:
    known = {each.filename for each in (last,)}
    files = {
        file.path: CellRun(None, None, file.text, file.full, last.start_s, path=file.path)
        for each in list(paths)
        if each not in known and not each.startswith("<")
        if (file := beside(each, last.start_s)) is not None
    }
    return tuple(files.values())[:_MOST]
