"""Reporting in a rank: its GPU use while it runs, and the report of the error that ends it.

A rank is forked from the kernel, spawned by it, or a script that a cell has started. Its messages
are files, as a rank has exited by the time its error reaches the kernel.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import system
from ..frameworks.imported import imported
from ..readings.sources import Sources
from .gpus import reading_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .folder import Folder

    Explain = Callable[[BaseException], dict[str, Any] | None]

REPORT, READING = ".json", ".reading"
_PATIENCE_S = 15.0  # then the process exits, as it was about to
_EVERY_S = 0.5
_SPAWN = "torch.multiprocessing.spawn"


class Rank:
    """This process as a rank; `explain` makes the report of an error.

    `start_s` and `execution_count` are of the cell that forked it; for a script, the time at which
    this object is created and `None`.
    """

    def __init__(
        self, folder: Folder, explain: Explain, start_s: float, execution_count: int | None
    ) -> None:
        self._folder, self._explain = folder, explain
        self._cell = {"execution_count": execution_count, "start_s": start_s}
        self._pid = os.getpid()
        self._has_ended = False

    def tell(self) -> None:
        """Write readings until the process ends or the folder is removed; blocks its thread."""
        sources, process = Sources(lambda *_: None), system.process()
        identity = {"rank": number(), "born": process and process.born, **self._cell}
        while not self._has_ended:
            try:
                self.say(sources, identity)
            except (FileNotFoundError, NotADirectoryError):
                return  # the kernel has removed the folder
            except Exception:  # noqa: BLE001, S110  the next reading retries
                pass
            time.sleep(_EVERY_S)

    def say(self, sources: Sources, who: dict[str, Any]) -> None:
        """Write the current reading; raises what PyTorch and `Folder.write` raise."""
        devices = reading_of(sources.read(ticking=True).devices)
        if devices:
            self._folder.write(f"{self._pid}{READING}", who | {"devices": devices})

    def end(self, error: BaseException | None = None) -> None:
        """Stop the readings; write the report of `error`, by default of the one being handled."""
        error = sys.exc_info()[1] if error is None else error
        if self._has_ended or os.getpid() != self._pid:
            return
        if error is None or (type(error) is SystemExit and not error.code):
            self._has_ended = True
            self._folder.leave(f"{self._pid}{READING}")
            return
        with suppress(Exception), open(os.devnull, "w") as devnull:  # noqa: PTH123
            # A forked lock may be held by a thread that does not exist here: do not wait forever.
            faulthandler.dump_traceback_later(_PATIENCE_S, exit=True, file=devnull)
            try:
                analysis = self._explain(error)
                if analysis is not None:
                    self._folder.write(f"{self._pid}{REPORT}", {**analysis, "rank": number()})
            finally:
                faulthandler.cancel_dump_traceback_later()


def number() -> int | None:
    """Return the rank's number, from its launcher's environment or its process arguments.

    `start_processes` of PyTorch, which other launchers call, passes the number to the function that
    it starts in each process (torch/multiprocessing/spawn.py). `None` where neither has one.
    """
    multiprocessing = imported("multiprocessing")
    process_now = vars(multiprocessing.current_process()) if multiprocessing else {}
    target, args = process_now.get("_target"), process_now.get("_args")
    rank_args = args[1:2] if getattr(target, "__module__", None) == _SPAWN and args else ()
    for number in (os.environ.get("RANK"), *rank_args, os.environ.get("LOCAL_RANK")):
        if str(number).isdecimal():
            return int(number)
    return None
