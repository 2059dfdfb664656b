"""Processes of a dry run: one that imports the packages, and a fork of it for each run.

Events go to standard output, one JSON object a line; what the notebook prints is discarded. Only
these processes start the simulated GPU and execute the user's cells.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from gpu_headroom import system
from gpu_headroom.own import SIMULATOR

from . import sandbox
from .job import DryRunOrder, RunOrder
from .process import children

if TYPE_CHECKING:
    from collections.abc import Callable

_ADOPTS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_LOOK_EVERY_S = 0.02


def main() -> NoReturn:
    """Run each job that comes on a line of standard input, in a process forked for it.

    So what all of them import is imported once, and before the notebook's folder is looked into.
    Where a fork is not safe, outside of Linux, this process runs the first job, and ends.
    """
    os.environ.update(MPLBACKEND="Agg", CUDA_VISIBLE_DEVICES="")
    from IPython.core import interactiveshell  # noqa: F401  as a kernel has it

    with suppress(ImportError):  # where there is no PyTorch, the run says so
        import_module(f"{SIMULATOR}.simulation")  # with all of PyTorch that it needs
    from .runner import Runner  # noqa: F401

    tell = _teller()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPTS, 1)
    while line := sys.stdin.readline():
        if sys.platform == "linux":
            read_fd, write_fd = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)  # a session of its own would not give way
                os.close(write_fd)
                os.dup2(read_fd, 0)
                _run(line)
            os.close(read_fd)
            while os.waitpid(pid, os.WNOHANG) == (0, 0):
                if select.select([0], [], [], _LOOK_EVERY_S)[0]:  # the parent has closed it
                    _end_left()
                    os._exit(0)
            os.close(write_fd)
            _end_left()
            tell(None)
        else:
            _run(line)
    os._exit(0)


def _end_left() -> None:
    """End what a run has left, also in sessions of their own: it is this process's by now."""
    with suppress(OSError):
        while orphans := children(os.getpid()):
            for pid in orphans:
                os.kill(pid, system.KILL)
                os.waitpid(pid, 0)


def _run(line: str) -> NoReturn:
    """Run the job on a line, and end this process with it."""
    first, *fields = json.loads(line)
    order, job = DryRunOrder(*first), RunOrder(DryRunOrder(*first), *fields)
    scratch, held_by = job.scratch, job.held_by
    if sys.platform == "linux" and held_by == sandbox.NAMESPACES:
        from . import namespaces

        namespaces.enter(scratch, network=order.network)
    tell = only_way_out()
    os.environ["IPYTHONDIR"] = f"{scratch}/ipython"

    from .overlay import protect, view_of
    from .runner import Runner

    work = str(view_of(Path(order.folder), Path(scratch)))
    protect(scratch, held_by, network=order.network)
    os.chdir(work)
    sys.path.insert(0, work)
    sys.argv = [*order.argv]
    tell(Runner(job, tell).run())
    os._exit(0)  # without waiting for threads and workers of the notebook


def only_way_out() -> Callable[[object], None]:
    """Reserve standard output for events, and return the function that sends them.

    The process ends when standard input is closed. Other code reads and writes `/dev/null`.
    """
    tell, stdin_fd = _teller(), os.dup(0)
    threading.Thread(target=_end_with, args=(stdin_fd,), daemon=True).start()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 0)
    return tell


def _teller() -> Callable[[object], None]:
    """Return a function that writes events to what is standard output now, one a line."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")

    def tell(event: object) -> None:
        out.write(json.dumps(event) + "\n")
        out.flush()

    return tell


def _end_with(asked: int) -> None:
    try:
        while os.read(asked, 1):
            pass
    finally:
        system.kill_group(0)
        os._exit(1)
