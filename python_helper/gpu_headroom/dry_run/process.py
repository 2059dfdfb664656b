"""One run of a job in a process of its own: what it may take, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..concurrency import threads
from ..kernel import injection
from .job import event_of
from .overlay import view_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from .job import Ended, RunOrder

PREFIX = "gpu-headroom-dry-run-"
_HELPER = Path(__file__).parents[2]
# These packages and no others of their names; what lies beside them stands behind all else.
_FROM_FILES = """import sys
path = sys.argv[1]
sys.path.insert(0, path)
import gpu_headroom, gpu_simulator
sys.path.remove(path)
path in sys.path or sys.path.append(path)
"""
# Where a page has brought them, they come on a line of their own.
_FROM_A_LINE = """import json, sys
sources = json.loads(sys.stdin.readline())
space = {"__name__": "gpu_headroom.kernel.injection"}
exec(compile(sources["kernel/injection.py"], "<gpu_headroom>/kernel/injection.py", "exec"), space)
for package, root in ("gpu_headroom", ""), ("gpu_simulator", "gpu_simulator/"):
    own = {path[len(root):]: text for path, text in sources.items() if path.startswith(root)}
    sys.meta_path.insert(0, space["InMemory"](own, sys.argv[1], package))
"""
_LOOK_EVERY_S = 0.25
_TAIL = 20  # lines of what it said before it died
_LONGEST = 10**8  # bytes of one event


class Limits(NamedTuple):
    """What one run may take: host memory, with its workers, and time."""

    memory_bytes: int
    time_s: float


class Died(Exception):  # noqa: N818  it says how a process ended
    """A run came to no end of its own: `how` is "memory", "time" or "died", with its last words."""

    def __init__(self, how: str, said: str) -> None:
        super().__init__(how)
        self.how, self.said = how, said


def launched(module: str, order: object, folder: str, sources: dict[str, str] | None) -> Any:
    """Start a process of this Python that does what `module` is for, with an order to read.

    Its standard input stays open: once it is not, nobody is there any more to whom it matters.
    `sources` are helper and simulator by path where they are no files. Raises `OSError`.
    """
    code = _FROM_FILES if sources is None else _FROM_A_LINE
    given = str(_HELPER) if sources is None else injection.helper_version()
    process = subprocess.Popen(  # noqa: S603  this very Python
        [
            sys.executable,
            "-c",
            f"{code}from gpu_headroom.dry_run.{module} import main\nmain()",
            given,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        start_new_session=True,
    )
    lines = [order] if sources is None else [sources, order]
    stdin = cast("IO[bytes]", process.stdin)
    stdin.write(b"".join([json.dumps(each).encode() + b"\n" for each in lines]))
    stdin.flush()
    return process


def ended(process: Any) -> None:
    """End a process with all that it has started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def scratch() -> Path:
    """Make a folder for what a run writes; whoever asks removes it."""
    return Path(tempfile.mkdtemp(prefix=PREFIX))


def run(job: RunOrder, folder: Path, limits: Limits, begins: Callable[[str], object]) -> Ended:
    """Run a job on a view of `folder`, and return how it ended; `begins` is told of each cell.

    Whatever it has written is gone then. Raises `Died`.
    """
    into = scratch()
    try:
        job = {**job, "scratch": str(into), "work": str(view_of(folder, into))}
        return _Process(job, limits).ended(begins)
    finally:
        shutil.rmtree(into, ignore_errors=True)


class _Process:
    def __init__(self, job: RunOrder, limits: Limits) -> None:
        self._limits = limits
        self._why: str | None = None
        self._said: deque[str] = deque(maxlen=_TAIL)
        finder = injection.finder()
        sources = None if finder is None else finder.sources
        self._process = launched("child", job, job["scratch"], sources)
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._pipes = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", pipes)

    def ended(self, begins: Callable[[str], object]) -> Ended:
        """Hear of each cell, and return how the run ended."""
        over, listener = threads.Bell(), threads.start(self._listen)
        threads.start(lambda: self._guard(over))
        try:
            while line := self._pipes[1].readline(_LONGEST):
                event = event_of(line)
                if event["type"] == "cell":
                    begins(event["cell_id"] or "")
                elif event["ended"] is not None:
                    return event["ended"]
            self._process.wait()
            listener.join(1.0)
            raise Died(self._why or "died", self._said[-1] if self._said else "")
        finally:
            over.ring()
            ended(self._process)
            for stream in self._pipes:
                with suppress(OSError):
                    stream.close()

    def _listen(self) -> None:
        with suppress(ValueError, OSError):
            while line := self._pipes[2].readline(2**16):
                text = line.decode("utf-8", "replace").strip()
                if text:
                    self._said.append(text)

    def _guard(self, over: threads.Bell) -> None:
        """End it where it takes more than it may."""
        until_s = time.monotonic() + self._limits.time_s
        while not over.wait(_LOOK_EVERY_S):
            if time.monotonic() > until_s:
                self._why = "time"
            elif (_resident_bytes(self._process.pid) or 0) > self._limits.memory_bytes:
                self._why = "memory"
            if self._why is not None:
                ended(self._process)
                return


def _resident_bytes(pid: int) -> int | None:
    """Return the host memory of a process; `None` where the system does not tell by files."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
