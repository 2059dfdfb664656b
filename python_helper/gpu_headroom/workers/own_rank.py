"""This process as a rank of the notebook whose cell started it: a script, or a spawned one.

Reports its GPU use once CUDA is initialized, and at exit the analysis of the GPU memory error that
ended it.
"""

from __future__ import annotations

import atexit
import os
import sys
import sysconfig  # noqa: F401  imported now, so that a script's folder cannot shadow it at exit
import time
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..cells.runs import CellRun
from ..code.command import COMMAND
from ..concurrency import threads
from ..concurrency.turns import Turn
from ..frameworks.imported import imported
from ..frameworks.torch.cuda import TorchCuda
from ..frameworks.torch.observer import Observer
from ..kernel import injection
from ..simulate import simulate_as_asked
from .arrival import Arrival
from .folder import PREFIX, Folder
from .rank import Rank
from .ranks import FIRST, VARIABLE

if TYPE_CHECKING:
    from ..errors.recognise import Recognition
    from ..oom.failure import Failure
    from ..readings.snapshot import DeviceSnapshot

_WALK_S = 2.0  # of processor time
_known: dict[int, Rank] = {}  # by process: a fork has a copy


def report(source: str = "") -> Rank | None:
    """Start reporting this process to the notebook that started it; a second call does nothing.

    `source` is the cell that would run what runs here. Returns `None` where no notebook follows,
    where the helper itself runs, and in free-threaded Python.
    """
    path, pid = os.environ.get(VARIABLE, ""), os.getpid()
    is_one = os.path.isabs(path) and os.path.basename(path).startswith(PREFIX)  # noqa: PTH117, PTH119
    if not is_one or injection.live() is not None or "free-threading" in sys.version:
        return None
    if pid not in _known:
        with suppress(Exception):
            simulate_as_asked()
        observer, began_s = Observer(), time.time()

        def explain(error: BaseException) -> dict[str, Any] | None:
            return _explained(error, observer, source, began_s)

        _known[pid] = rank = Rank(Folder(path), explain, began_s, None)
        with suppress(Exception):
            _follow(rank, observer)
            _await_end(rank)
    return _known[pid]


def _follow(rank: Rank, observer: Observer) -> None:
    """Start reporting once CUDA is initialized; before that no thread is started."""
    pid = os.getpid()

    def tell() -> None:
        threads.start(rank.tell)

    def arrived() -> None:
        if _is_up():
            observer.attach()
            tell()
        else:
            observer.await_start(lambda: os.getpid() != pid, tell)

    if imported("torch.cuda") is not None:
        arrived()
    else:
        sys.meta_path.insert(0, Arrival("torch.cuda", arrived))


def _is_up() -> bool:
    return TorchCuda().state() == "live"


def _await_end(rank: Rank) -> None:
    multiprocessing = imported("multiprocessing")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        import_module("multiprocessing.util").Finalize(None, rank.end, exitpriority=FIRST)
    else:
        atexit.register(_end, rank)


def _end(rank: Rank) -> None:
    """Report the exception that ended the main module (`sys.last_value`); not an interrupt.

    After an interrupt Python ends itself by the signal unless source text is executed, so nothing
    is imported or analyzed then.
    """
    error = getattr(sys, "last_value", None)
    rank.end(None if type(error) is KeyboardInterrupt else error)


def _explained(
    error: BaseException, observer: Observer, source: str, began_s: float
) -> dict[str, Any] | None:
    """Return the report of the error that ends this process, with the main module's names."""
    from ..errors.recognise import recognise

    if not _is_up() or recognise(error) is None:
        return None  # before the slow imports below
    from .aside import failure_in
    from .explained import explained

    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()  # in case the process has to exit early
    failure_of = failure_in(vars(sys.modules["__main__"]), error, observer.take())

    cell = CellRun(COMMAND, None, source, None, began_s)

    def of_script(recognition: Recognition, snapshot: DeviceSnapshot) -> Failure:
        return replace(failure_of(recognition, snapshot), cell=cell)

    return explained(error, of_script, Turn(_WALK_S, asked=False))
