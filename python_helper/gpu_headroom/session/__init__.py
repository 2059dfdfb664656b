"""The one helper of a kernel: start, look up and stop."""

from __future__ import annotations

import sys
from typing import cast

from ..concurrency import threads
from ..concurrency.threads import Lock
from ..kernel import injection
from .session import Session

# A front end and a cell may start it at the same time, and importing is slow.
_starting = Lock(limit_s=10.0)


def start() -> Session:
    """Start the helper of this kernel, or return the running one.

    Raises `RuntimeError`, with nothing left behind, outside IPython and in free-threaded Python.
    """
    threads.stay_out()
    with _starting:
        session = cast("Session | None", injection.live())
        if session is None:
            ipython = sys.modules.get("IPython")
            shell = None if ipython is None else ipython.get_ipython()
            if shell is None:
                raise RuntimeError(
                    "GPU Headroom works inside IPython or Jupyter; this Python runs neither."
                )
            session = Session(shell)
            session.open()
            injection.enter(session)
        session.keep_modules()
        return session


def stop() -> None:
    """Stop the helper and restore the kernel's state; does nothing without one."""
    session = cast("Session | None", injection.live())
    if session is not None:
        injection.enter(None)
        session.close()


def current() -> Session | None:
    """Return the running helper of this process; `None` without one, and in a forked child."""
    session = cast("Session | None", injection.live())
    return None if session is None or session.sampler.forked else session
