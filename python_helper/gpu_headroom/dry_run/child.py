"""The process of a dry run, with a job on a line of standard input.

It tells of itself on standard output, a line of JSON for each event; what the notebook prints goes
nowhere. Only here is the simulated GPU started, and cells of a person are executed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .job import RunOrder


def main() -> None:
    """Run the job that comes on standard input, and end."""
    with suppress(AttributeError, OSError):
        os.nice(19)
    job: RunOrder = json.loads(sys.stdin.readline())
    tell = only_way_out(job["scratch"])
    os.environ.update(MPLBACKEND="Agg", IPYTHONDIR=f"{job['scratch']}/ipython")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    os.chdir(job["work"])
    sys.path[0], sys.argv = job["work"], [""]

    from .overlay import protect
    from .runner import Runner

    protect(job["scratch"])
    ended = Runner(job, tell).run()
    tell({"type": "ended", "cell_id": None, "ended": ended})
    os._exit(0)  # threads and workers of the notebook have nobody to wait for


def only_way_out(scratch: str | None) -> Callable[[Mapping[str, Any]], None]:
    """Keep standard output for events, and return what tells them; nothing else has one.

    Standard input stays open for as long as somebody waits: after that all of this ends, and the
    folder `scratch` goes.
    """
    out, asked = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.dup(0)
    threading.Thread(target=_end_with, args=(asked, scratch), daemon=True).start()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 0)

    def tell(event: Mapping[str, Any]) -> None:
        out.write(json.dumps(event) + "\n")
        out.flush()

    return tell


def _end_with(asked: int, scratch: str | None) -> None:
    try:
        while os.read(asked, 1):
            pass
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    finally:
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)
