"""Ranks that `multiprocessing` forks from this kernel: each measures itself, the kernel reads it.

Such a process is a copy of the kernel, helper and notebook included. Once its own PyTorch has
started CUDA there, a thread says twice a second what it holds. When it ends by an error its frames
stand as after a cell that failed, and a card is made of them in the same way. Both are left in
files: a rank has gone when its error comes to the kernel.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..frameworks.imported import imported
from ..readings.sources import Sources
from ..text.messages import message
from .cards import Answer, Done, Question, WorkerReading, answer, are_devices, reading_of
from .folder import Folder
from .process import process

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cells.runs import CellRun, Ledger
    from ..protocol.wire import Followed
    from .folder import Left

    Begin = Callable[[Callable[[], object]], None]
    Explain = Callable[[BaseException], dict[str, Any] | None]

_FIRST = 10**6  # before what multiprocessing and others do at the end
_PATIENCE_S = 15.0  # then the process ends, as it was about to
_EVERY_S = 0.5
_STALE_S = 3.0
_LOOK_EVERY_S = 0.9  # the kernel
_MOST = 64  # that are looked at
_REPORT, _READING = ".json", ".reading"
_END_S = 5.0  # to end when it is asked to
_SPAWN = "torch.multiprocessing.spawn"


class Ranks:
    """Has forked ranks tell what they hold, and explain their failure by `explain`; reads both.

    `begin` is called in each as it begins, with what is to be called once CUDA has started there.
    The workers of a pool or a DataLoader, which are daemons, are left alone; so are processes that
    are not forked by `multiprocessing`.
    """

    def __init__(self, name: str, ledger: Ledger, begin: Begin, explain: Explain) -> None:
        self._folder = Folder(name)
        self._ledger = ledger
        self._begin, self._explain = begin, explain
        self._is_open = False
        self._ends = False  # of a rank
        self._seen: list[WorkerReading] = []
        self._seen_s = float("-inf")
        self._seen_in: CellRun | None = None

    def open(self) -> None:
        """Follow what is forked from now on, once `multiprocessing` is there.

        It forgets this with the object; a second call does nothing.
        """
        util = imported("multiprocessing.util")
        if util is not None and hasattr(os, "fork") and not self._is_open:
            self._is_open = True
            util.register_after_fork(self, Ranks.begin)

    def close(self) -> None:
        """Follow no more, and leave no file."""
        if self._is_open:
            self._is_open = False
            self._folder.clean(own=True)

    # --- In a rank ----------------------------------------------------------

    def begin(self) -> None:
        """Be there for what comes in a rank, in which this is called."""
        multiprocessing, util = imported("multiprocessing"), imported("multiprocessing.util")
        if self._is_open and not multiprocessing.current_process().daemon:
            with suppress(Exception):
                # Nothing is imported here: a thread that was at it has not come along, but its
                # lock has.
                self._begin(lambda: threads.start(self._tell))
                util.Finalize(None, self._end, exitpriority=_FIRST)

    def _tell(self) -> None:
        """Say what this process holds, until it ends; on a thread of its own."""
        sources, me, run = Sources(lambda *_: None), process(), self._ledger.opened
        who = {
            "rank": _rank(),
            "born": me and me.born,
            "execution_count": run and run.execution_count,
            "start_s": run and run.start_s,
        }
        while not self._ends:
            with suppress(Exception):
                if sources.torch.state() == "live":
                    devices = reading_of(sources.read(ticking=True).devices)
                    self._folder.write(f"{os.getpid()}{_READING}", {**who, "devices": devices})
            time.sleep(_EVERY_S)

    def _end(self) -> None:
        error = sys.exc_info()[1]  # what the process ends by, if it does
        if error is None:
            self._ends = True
            self._folder.remove(f"{os.getpid()}{_READING}")
            return
        with suppress(Exception), open(os.devnull, "w") as nowhere:  # noqa: PTH123
            # A lock may have been copied while held: this thread is not the one to wait for it.
            faulthandler.dump_traceback_later(_PATIENCE_S, exit=True, file=nowhere)
            try:
                found = self._explain(error)
                if found is not None:
                    self._folder.write(f"{os.getpid()}{_REPORT}", found)
            finally:
                faulthandler.cancel_dump_traceback_later()

    # --- In the kernel ------------------------------------------------------

    def take(self, pid: int) -> dict[str, Any]:
        """Return what a rank has left, empty where that is nothing of use, and `others` that left.

        The launcher that brings the error has ended them all: what they left goes.
        """
        if not self._is_open:
            return {}
        names = [name for name in self._folder.names() if name.endswith(_REPORT)]
        left = self._folder.read(f"{pid}{_REPORT}")
        for name in names:
            self._folder.remove(name)
        self._folder.clean(own=False)
        return {**(left.said if left else {}), "others": len({*names} - {f"{pid}{_REPORT}"})}

    def followed(self) -> Followed | None:
        """Return how many there are; `None`: none, and none that has just ended."""
        workers = self._workers()
        states = [worker.said["state"] for worker in workers]
        if not workers:
            return None
        return {
            "engine": "rank",
            "total": len(states) - states.count("ended"),
            "live": states.count("live"),
            "left_over": sum(worker.said["left_over"] for worker in workers),
            "state": "measured",
            "silent_s": None,
            "message": None,
        }

    def answer(self, question: Question) -> Answer:
        """Return their cards."""
        return answer(self._workers(), question)

    def act(self, worker_id: str, action: str) -> Done | None:
        """End a rank that outlives its cell, and return what it held; `None`: nothing was done.

        It is asked to end, and made to where it does not. May take seconds.
        """
        self._seen_s = float("-inf")
        found = next((each for each in self._workers() if each.said["id"] == worker_id), None)
        if found is None or action not in found.said["actions"]:
            return None
        pid: int = found.said["pid"]
        born = process(pid)
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.kill(pid, how)
            ends_s = time.monotonic() + _END_S
            while time.monotonic() < ends_s and (still := process(pid)) == born:
                time.sleep(0.05)
            if still != born:
                break
        self._seen_s = float("-inf")
        self._folder.remove(f"{pid}{_READING}")
        held = [device["in_use_bytes"] for device in found.devices]
        cached = [device["cached_bytes"] for device in found.devices]
        returned = sum(held) + sum(cached)
        said = message("worker.ended", returned_bytes=returned)
        return Done("done", said, sum(held), returned)

    def _workers(self) -> list[WorkerReading]:
        """Return what ranks say, anew once a second and with each cell that begins or ends."""
        now_s, run = time.monotonic(), self._ledger.opened or self._ledger.current()
        is_old = now_s - self._seen_s > _LOOK_EVERY_S or run is not self._seen_in
        if self._is_open and is_old:
            names = [name for name in self._folder.names() if name.endswith(_READING)]
            found = [self._worker(name, self._folder.read(name)) for name in names[:_MOST]]
            self._seen = [each for each in found if each is not None]
            self._seen_s, self._seen_in = now_s, run
        return self._seen

    def _worker(self, name: str, left: Left | None) -> WorkerReading | None:
        pid, run, last = name.partition(".")[0], self._ledger.opened, self._ledger.current()
        if left is None or not pid.isdecimal() or not are_devices(left.said.get("devices")):
            return None
        said, now = left.said, process(pid)
        count, rank = said.get("execution_count"), said.get("rank")
        born = said.get("born")
        # Where the system does not tell, whoever was heard of just now is there.
        is_there = born == now.born if now else born is None and left.age_s <= _STALE_S
        start_s = said.get("start_s")
        if not is_there and last is not None and last.start_s != start_s:
            self._folder.remove(name)  # another cell has begun: it has been seen
            return None
        is_left = is_there and (run is None or run.start_s != start_s)
        state = "ended" if not is_there else "stale" if left.age_s > _STALE_S else "live"
        on_card = {
            "id": f"rank:{pid}",
            "engine": "rank",
            "name": None,
            "rank": rank if type(rank) is int and rank >= 0 else None,
            "pid": int(pid),
            "state": state,
            "age_s": left.age_s,
            "execution_count": count if type(count) is int and count >= 0 else None,
            "left_over": is_left,
            "actions": ["end"] if is_left and now is not None and now.is_child else [],
        }
        return WorkerReading(os.uname().nodename, on_card, said["devices"])


def _rank() -> int | None:
    """Return the number of this process: as its launcher tells it, or as it was started.

    `start_processes` of PyTorch, which other launchers call, gives it to the function that it
    starts in each (torch/multiprocessing/spawn.py).
    """
    process_now = vars(sys.modules["multiprocessing"].current_process())
    target, given = process_now.get("_target"), process_now.get("_args")
    started = given[1:2] if getattr(target, "__module__", None) == _SPAWN and given else ()
    for told in (os.environ.get("RANK"), *started, os.environ.get("LOCAL_RANK")):
        if str(told).isdecimal():
            return int(told)
    return None
