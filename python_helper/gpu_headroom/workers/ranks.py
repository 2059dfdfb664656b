"""The ranks of this notebook, seen from its kernel: forked from it, or scripts of its cells.

Each writes its readings and the report of its last error (`rank.py`) to files of a private folder.
Forked ranks are copies of the kernel, helper and notebook included, so their report is made as for
a failed cell. Scripts find the folder by an environment variable.
"""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import system
from ..concurrency import threads
from ..frameworks.imported import imported
from ..text.messages import message
from .folder import Folder
from .gpus import Answer, Done, WorkerReading, answer, are_devices, engine_of
from .rank import READING, REPORT, Rank

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cells.runs import CellRun, Ledger
    from ..protocol.generated.wire import Followed
    from .folder import Left
    from .rank import Explain

    Begin = Callable[[Callable[[], object]], None]

VARIABLE = "GPU_HEADROOM_RANKS"
FIRST = 10**6  # runs before the exit handlers of multiprocessing and others
_STALE_S = 3.0
_LOOK_EVERY_S = 0.9
_MOST = 64  # files that are read
_END_S = 5.0  # for a process to exit on a signal
_PID = re.compile("[0-9]{1,10}")


class Ranks:
    """Sets up reporting in forked ranks, which make reports by `explain`, and reads the results.

    `begin` is called in each new rank, with the function to call once CUDA is initialized there.
    Not covered: daemons, such as the workers of a pool or a DataLoader, processes that are not
    forked by `multiprocessing`, and scripts that do not opt in (`terminal/run.py`).
    """

    def __init__(self, name: str, ledger: Ledger, begin: Begin, explain: Explain) -> None:
        self._folder = Folder.of(name)
        self._ledger = ledger
        self._begin, self._explain = begin, explain
        self._is_open = self._is_followed = False
        self._former: str | None = None
        self._counts: dict[str, int | None] = {}
        self._seen: list[WorkerReading] = []
        self._seen_s = float("-inf")
        self._seen_in: CellRun | None = None

    def open(self) -> None:
        """Make the folder known to processes started from now on; repeated calls are safe.

        Forked processes are covered once `multiprocessing` is imported; its hook is dropped with
        this object.
        """
        if not self._is_open:
            self._is_open, self._former = True, os.environ.get(VARIABLE)
            os.environ[VARIABLE] = self._folder.path
        util = imported("multiprocessing.util")
        if util is not None and hasattr(os, "fork") and not self._is_followed:
            self._is_followed = True
            util.register_after_fork(self, Ranks.begin)

    def close(self) -> None:
        """Stop following; remove the files, and the variable unless another helper has set it."""
        if self._is_open:
            self._is_open = False
            if os.environ.get(VARIABLE) == self._folder.path:
                del os.environ[VARIABLE]
                if self._former is not None:
                    os.environ[VARIABLE] = self._former
            self._folder.clean(own=True)

    def begin(self) -> None:
        """Set up reporting in this process, which was just forked."""
        multiprocessing, util = imported("multiprocessing"), imported("multiprocessing.util")
        if self._is_open and not multiprocessing.current_process().daemon:
            with suppress(Exception):
                # No imports here: a thread that was importing in the parent does not exist in
                # this process, but its import lock is still held.
                run = self._ledger.opened
                start_s, count = (
                    (time.time(), None) if run is None else (run.start_s, run.execution_count)
                )
                rank = Rank(self._folder, self._explain, start_s, count)
                self._begin(lambda: threads.start(rank.tell))
                util.Finalize(None, rank.end, exitpriority=FIRST)

    def take(self, pid: int | None, rank: int | None = None) -> dict[str, Any]:
        """Return what a rank has left for its failure, and in `others` how many more did.

        Without `pid` that is the newest one left by `rank`. All files are removed: the launcher
        that raised the error has ended all ranks.
        """
        if not self._is_open:
            return {}
        names = [name for name in self._folder.names() if name.endswith(REPORT)]
        file_name = f"{pid}{REPORT}"
        candidates = names[:_MOST] if pid is None else [file_name]
        reports = {name: report for name in candidates if (report := self._folder.read(name))}
        if pid is None:
            matches = [name for name in reports if reports[name].said.get("rank") == rank]
            file_name = min(matches, key=lambda name: reports[name].age_s, default="")
        for name in names:
            self._folder.remove(name)
        self._folder.clean(own=False)
        report = reports.get(file_name)
        return {**(report.said if report else {}), "others": len({*names} - {file_name})}

    def followed(self) -> Followed | None:
        """Return the number and state of the ranks; `None` with none, running or just ended."""
        workers = self._workers()
        states = [worker.said["state"] for worker in workers]
        if not workers:
            return None
        are_ranks = any(worker.said["engine"] == "rank" for worker in workers)
        counts = len(states) - states.count("ended"), states.count("live")
        return engine_of("rank" if are_ranks else "command", counts)

    def answer(self, text: str) -> Answer:
        """Return the GPUs of the ranks that match a filter."""
        return answer(self._workers(), text)

    def act(self, worker_id: str, action: str) -> Done | None:
        """End a rank that outlives its cell, and return what it held; `None`: nothing was done.

        Sends SIGTERM, then kills it after 5 s. May take seconds.
        """
        self._seen_s = float("-inf")
        rank = next((worker for worker in self._workers() if worker.said["id"] == worker_id), None)
        if rank is None or action not in rank.said["actions"]:
            return None
        pid: int = rank.said["pid"]
        born = system.process(pid)
        for signum in (signal.SIGTERM, system.KILL):
            with suppress(ProcessLookupError):
                os.kill(pid, signum)
            ends_s = time.monotonic() + _END_S
            while time.monotonic() < ends_s and (process := system.process(pid)) == born:
                time.sleep(0.05)
            if process != born:
                break
        self._seen_s = float("-inf")
        self._folder.remove(f"{pid}{READING}")
        held = sum(device["in_use_bytes"] + device["cached_bytes"] for device in rank.devices)
        return Done("done", message("worker.ended", returned_bytes=held))

    def _workers(self) -> list[WorkerReading]:
        """Return the ranks' readings, at most a second old and not of an earlier cell."""
        now_s, run = time.monotonic(), self._ledger.opened or self._ledger.current()
        is_old = now_s - self._seen_s > _LOOK_EVERY_S or run is not self._seen_in
        if self._is_open and is_old:
            names = [name for name in self._folder.names() if name.endswith(READING)]
            readings = [self._worker(name, self._folder.read(name)) for name in names[:_MOST]]
            self._seen = [rank for rank in readings if rank is not None]
            self._seen_s, self._seen_in = now_s, run
        return self._seen

    def _worker(self, name: str, left: Left | None) -> WorkerReading | None:
        pid, run, last = name.partition(".")[0], self._ledger.opened, self._ledger.current()
        if left is None or not _PID.fullmatch(pid) or not are_devices(left.said.get("devices")):
            return None
        fields, process = left.said, system.process(pid)
        born, rank, start_s = fields.get("born"), fields.get("rank"), fields.get("start_s")
        if type(start_s) is not float or type(born) not in {str, type(None)}:
            return None
        # Without process information from the system, a fresh reading means a running one.
        is_there = born == process.born if process else born is None and left.age_s <= _STALE_S
        if not is_there and last is not None and last.start_s > start_s:
            self._folder.remove(name)  # another cell has begun: the ended rank was already shown
            return None
        is_left = is_there and (run is None or run.start_s > start_s)
        state = "ended" if not is_there else "stale" if left.age_s > _STALE_S else "live"
        rank = rank if type(rank) is int and rank >= 0 else None
        count = fields.get("execution_count")
        is_script = count is None
        if type(count) is not int or count < 0:
            count = self._cell_of(f"{pid} {born}", start_s)
        on_gpu = {
            "id": f"rank:{pid}",
            "engine": "command" if is_script and rank is None else "rank",
            "name": None,
            "rank": rank,
            "pid": int(pid),
            "state": state,
            "age_s": left.age_s,
            "execution_count": count,
            "left_over": is_left,
            "actions": ["end"] if is_left and process is not None and process.is_child else [],
        }
        return WorkerReading(system.host_name(), on_gpu, fields["devices"])

    def _cell_of(self, who: str, start_s: float) -> int | None:
        """Return the execution count of the cell in which a process started; kept once found."""
        if who not in self._counts:
            runs = [*self._ledger.runs(), self._ledger.opened]
            candidates = [run for run in runs if run is not None and run.start_s <= start_s]
            self._counts[who] = candidates[-1].execution_count if candidates else None
        return self._counts[who]
