"""The files of the notebook's folder that a failing cell has run, or imported."""

from __future__ import annotations

import re
import sys
from itertools import chain
from traceback import walk_tb
from types import ModuleType
from typing import TYPE_CHECKING

from ..code.beside import beside
from ..code.parsing import LONGEST, words_in
from ..holders.frames import is_installed
from ..inspection.tables import items_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..cells.runs import CellRun

MOST = 20
SETTINGS = re.compile(r"""["']([^"'\n]+\.(?:json|ya?ml))["']""")


def files_of(error: BaseException, cells: Iterable[CellRun]) -> tuple[CellRun, ...]:
    """Return the files on the way to a failure, and modules and settings that these name.

    Only files that are as they were when the failing cell, the last of these, began.
    """
    *_, last = cells = list(cells)
    frames = [frame for frame, _ in walk_tb(error.__traceback__) if not is_installed(frame)]
    paths = dict.fromkeys([frame.f_code.co_filename for frame in frames])
    files = [file for module_path in paths if (file := beside(module_path)) is not None]
    words = words_in(_text(cells, files))
    for name, module in items_of(sys.modules):
        if type(module) is ModuleType and name.rpartition(".")[2] in words:
            path = vars(module).get("__file__")
            if type(path) is str and path.endswith(".py") and "-packages" not in path:
                files += filter(None, [beside(path)])
    files += filter(None, map(beside, SETTINGS.findall(_text(cells, files))))
    runs = {run.key: run for run in files if run.start_s <= last.start_s}
    return tuple(runs.values())[:MOST]


def _text(*runs: Iterable[CellRun]) -> str:
    """Return the newest of the code, as much as is looked through of one cell."""
    return "\n".join([run.source for run in chain(*runs)])[-LONGEST:]
