"""One run of a job in a process of its own: what it may take, and how it ends."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gpu_headroom import system
from gpu_headroom.concurrency import threads
from gpu_headroom.kernel import injection
from gpu_headroom.own import SIMULATOR

from . import sandbox
from .job import LONGEST, NOTHING, ended_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from .job import DryRunOrder, Ended, RunOrder

PREFIX = "gpu-headroom-dry-run-"
_PACKAGES = Path(__file__).parents[1]
# Before anything is imported, which takes time as well. Linux weighs sessions against each other
# before it looks at a process (autogroups in sched(7)), and has some wait before they are changed.
GIVE_WAY = """import os, time
try:
    nice = os.environ.get("GPU_HEADROOM_NICE", "19")
    os.nice(int(nice))
    for _ in range(5):
        try:
            with open("/proc/self/autogroup", "w") as group:
                group.write(nice)
            break
        except BlockingIOError:
            time.sleep(0.1)
except (ValueError, AttributeError, OSError):
    pass
"""
# What lies beside a notebook is called by names of Python's own at times.
_ALONE = "import sys\nsys.path[:] = [each for each in sys.path if each]\n"
# Import these packages before others of the same name, and their folder's other modules last.
_FROM_FILES = """path = sys.argv[1]
sys.path.insert(0, path)
import gpu_dry_run, gpu_headroom, gpu_simulator
sys.path.remove(path)
path in sys.path or sys.path.append(path)
"""
# Where a page has brought them, they come on a line of their own.
_FROM_A_LINE = """import json
sources = json.loads(sys.stdin.readline())
space = {"__name__": "gpu_headroom.kernel.injection"}
exec(compile(sources["kernel/injection.py"], "<gpu_headroom>/kernel/injection.py", "exec"), space)
for package, root in ("gpu_headroom", ""), ("gpu_simulator", "gpu_simulator/"):
    own = {path[len(root):]: text for path, text in sources.items() if path.startswith(root)}
    sys.meta_path.insert(0, space["InMemory"](own, sys.argv[1], package))
"""
# Waits for a program, and removes the folder in which its runs are, however it ends.
_STAYS = """import ctypes, os, shutil, subprocess, sys, time
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # of what is left of it this becomes the parent
with subprocess.Popen(sys.argv[2:]):
    os.close(0)
    os.close(1)
for _ in range(300):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if not os.path.exists(sys.argv[1]):
        break
    time.sleep(0.2)
"""
_SIMULATOR = f"{SIMULATOR}/"
_LOOK_EVERY_S = 0.25
_LAST_WORDS_S = 0.2
_LEAVES_S = 2.0
_TAIL = 20  # lines of what it said before it died


_kept: dict[str, str] = {}


def brought() -> dict[str, str] | None:
    """Return helper and simulator by path where a page has brought them; `None`: they are files."""
    finder = injection.finder()
    if finder is None:
        return None
    mine = {path: text for path, text in finder.sources.items() if path.startswith(_SIMULATOR)}
    if mine:
        # Else the helper would compile at rest what this process never imports.
        _kept.update(mine)
        finder.sources = {path: text for path, text in finder.sources.items() if path not in mine}
    return {**finder.sources, **_kept}


def launched(
    module: str, order: object, folder: str, within: Callable[[list[str]], list[str]] = list
) -> Any:
    """Start a Python process that runs `main` of `module`, and write it an order.

    `within` gets the command, and returns the one to start. Standard input stays open: the process
    ends when it is closed. Raises `OSError`.
    """
    sources = brought()
    code = GIVE_WAY + _ALONE + (_FROM_FILES if sources is None else _FROM_A_LINE)
    given = str(_PACKAGES) if sources is None else injection.helper_version()
    command = [
        sys.executable,
        "-W",  # of threads of a library, which are not in use where it forks
        "ignore::DeprecationWarning:gpu_dry_run.child",
        "-c",
        f"{code}from gpu_dry_run.{module} import main\nmain()",
        given,
    ]
    process = subprocess.Popen(  # noqa: S603  this very Python
        within(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        start_new_session=True,
    )
    lines = [order] if sources is None else [sources, order]
    stdin = cast("IO[bytes]", process.stdin)
    stdin.write(b"".join([json.dumps(line).encode() + b"\n" for line in lines]))
    stdin.flush()
    return process


def ended(process: Any) -> None:
    """End a process with all that it has started."""
    _kill(process.pid)
    process.wait()


class Runs:
    """Runs jobs one after the other; what they import is imported once, where that is possible."""

    def __init__(self, order: DryRunOrder) -> None:
        self._memory_bytes, self._time_s = order.memory_bytes, order.time_s
        self._network = order.network
        self._held_by = sandbox.kind(network=order.network)
        self._root = ""
        self._process: Any = None
        self._why: Any = None
        self._said: deque[str] = deque(maxlen=_TAIL)

    def run(self, job: RunOrder, hear: Callable[[Ended], object]) -> Ended:
        """Run a job on a temporary view of its folder; `hear` is called with its progress."""
        self._why = None
        self._said.clear()
        over = threads.Bell()
        self._root = self._root or tempfile.mkdtemp(prefix=PREFIX)
        into = tempfile.mkdtemp(dir=self._root)
        try:
            self._give(job._replace(scratch=into, held_by=self._held_by))
            threads.start(partial(self._guard, self._process, over))
            return self._ended(hear)
        finally:
            over.ring()
            shutil.rmtree(into, ignore_errors=True)

    def close(self) -> None:
        """End what is left; where this process is ended meanwhile, that removes the folder."""
        if self._process is not None:
            with suppress(OSError):
                self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LEAVES_S)
            ended(self._process)
            for stream in (self._process.stdout, self._process.stderr):
                stream.close()
        self._process = None
        if self._root:
            shutil.rmtree(self._root, ignore_errors=True)
        self._root = ""

    def _within(self, command: list[str]) -> list[str]:
        """Return what runs a command, as the system holds it, and removes the folder after it."""
        if self._held_by == sandbox.BUBBLEWRAP:
            command = sandbox.wrapped(command, self._root, network=self._network)
        return [sys.executable, "-IS", "-c", _STAYS, self._root, *command]

    def _give(self, job: RunOrder) -> None:
        if self._process is None:
            self._process = launched("child", job, self._root, self._within)
            threads.start(partial(self._listen, self._process.stderr))
        else:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()

    def _ended(self, hear: Callable[[Ended], object]) -> Ended:
        last = NOTHING
        while line := self._process.stdout.readline(LONGEST):
            ended = ended_of(line)
            if ended is None:
                break
            last = ended
            if last["outcome"] == "died":  # by now it has not
                hear(last)
        else:
            self.close()
        if last["outcome"] != "died":
            return last
        time.sleep(_LAST_WORDS_S)
        error = self._said[-1] if self._said else ""
        return {**last, "outcome": self._why or "died", "error": error}

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(ValueError, OSError):
            while line := stream.readline(2**16):
                text = line.decode("utf-8", "replace").strip()
                if text:
                    self._said.append(text)

    def _guard(self, process: Any, over: threads.Bell) -> None:
        """End a run that takes more than it may, with the process from which it was forked."""
        until_s = time.monotonic() + self._time_s
        while self._why is None and not over.wait(_LOOK_EVERY_S):
            if time.monotonic() > until_s:
                self._why = "time"
            elif sum(map(_own_bytes, family(process.pid))) > self._memory_bytes:
                self._why = "memory"
        if self._why is not None:
            process.stdin.close()
            if not over.wait(_LEAVES_S):  # a run may have stopped what would end it
                for pid in family(process.pid):
                    _kill(pid)


def _kill(pid: int) -> None:
    """End a process that leads others, with these."""
    with suppress(OSError):
        system.kill_group(pid)


def family(leader: int) -> list[int]:
    """Return a process and all that came from it, as far as files tell."""
    pids = [leader]
    for pid in pids:  # it grows meanwhile
        pids += children(pid)
    return pids


def children(pid: int) -> list[int]:
    """Return the processes that a process has started or taken over, as far as files tell."""
    with suppress(OSError):
        files = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for file in files for child in file.read_text("ascii").split()]
    return []


def _own_bytes(pid: int) -> int:
    """Return a process's share of host memory, from `smaps_rollup` (proc(5)); 0 if unavailable."""
    with suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
        return int(text.partition("\nPss:")[2].split()[0]) * 1024
    return 0
