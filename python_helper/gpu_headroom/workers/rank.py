"""What runs in a rank: it says what it holds while it runs, and explains the error it ends by.

Such a process is forked from the kernel, spawned by it, or a script that a cell has started. What
it says is left in files: a rank has gone when its error comes to the kernel.
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
from .cards import reading_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .folder import Folder

    Explain = Callable[[BaseException], dict[str, Any] | None]

REPORT, READING = ".json", ".reading"
_PATIENCE_S = 15.0  # then the process ends, as it was about to
_EVERY_S = 0.5
_SPAWN = "torch.multiprocessing.spawn"


class Rank:
    """This process, in what it says of itself; `explain` makes the card of an error.

    `start_s` is when the cell began that has forked it, and `execution_count` of which it is; of a
    script when this is made, and `None`.
    """

    def __init__(
        self, folder: Folder, explain: Explain, start_s: float, execution_count: int | None
    ) -> None:
        self._folder, self._explain = folder, explain
        self._cell = {"execution_count": execution_count, "start_s": start_s}
        self._pid = os.getpid()
        self._has_ended = False

    def tell(self) -> None:
        """Say what this process holds, until it ends or the folder has; on a thread of its own."""
        sources, me = Sources(lambda *_: None), system.process()
        who = {"rank": number(), "born": me and me.born, **self._cell}
        while not self._has_ended:
            try:
                self.say(sources, who)
            except (FileNotFoundError, NotADirectoryError):
                return  # nobody is there to read it
            except Exception:  # noqa: BLE001, S110  it is read again
                pass
            time.sleep(_EVERY_S)

    def say(self, sources: Sources, who: dict[str, Any]) -> None:
        """Write what this process holds; raises what PyTorch and `Folder.write` raise."""
        devices = reading_of(sources.read(ticking=True).devices)
        if devices:
            self._folder.write(f"{self._pid}{READING}", who | {"devices": devices})

    def end(self, error: BaseException | None = None) -> None:
        """Say no more; leave what `error` is explained by, else the one that is handled now."""
        error = sys.exc_info()[1] if error is None else error
        if self._has_ended or os.getpid() != self._pid:
            return
        if error is None or (type(error) is SystemExit and not error.code):
            self._has_ended = True
            self._folder.leave(f"{self._pid}{READING}")
            return
        with suppress(Exception), open(os.devnull, "w") as nowhere:  # noqa: PTH123
            # A lock may have been copied while held: this thread is not the one to wait for it.
            faulthandler.dump_traceback_later(_PATIENCE_S, exit=True, file=nowhere)
            try:
                found = self._explain(error)
                if found is not None:
                    self._folder.write(f"{self._pid}{REPORT}", {**found, "rank": number()})
            finally:
                faulthandler.cancel_dump_traceback_later()


def number() -> int | None:
    """Return the number of this process: as its launcher tells it, or as it was started.

    `start_processes` of PyTorch, which other launchers call, gives it to the function that it
    starts in each (torch/multiprocessing/spawn.py).
    """
    multiprocessing = imported("multiprocessing")
    process_now = vars(multiprocessing.current_process()) if multiprocessing else {}
    target, given = process_now.get("_target"), process_now.get("_args")
    started = given[1:2] if getattr(target, "__module__", None) == _SPAWN and given else ()
    for told in (os.environ.get("RANK"), *started, os.environ.get("LOCAL_RANK")):
        if str(told).isdecimal():
            return int(told)
    return None
