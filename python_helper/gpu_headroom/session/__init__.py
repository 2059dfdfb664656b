"""The one helper that lives in a kernel: started, looked up and ended."""

from __future__ import annotations

import sys

from ..concurrency import threads
from ..concurrency.threads import Lock
from .session import Session

# A page may start it while a cell does; importing takes its time.
_starting = Lock(limit_s=10.0)
_live: Session | None = None


def start() -> Session:
    """Start the helper of this kernel, or return the one that lives.

    Raises `RuntimeError` outside IPython, in free-threaded Python, and where it cannot be
    started: then it has left nothing behind.
    """
    global _live  # noqa: PLW0603  one helper per process
    threads.stay_out()
    with _starting:
        if _live is None:
            ipython = sys.modules.get("IPython")
            shell = None if ipython is None else ipython.get_ipython()
            if shell is None:
                raise RuntimeError(
                    "GPU Headroom works inside IPython or Jupyter; this Python runs neither."
                )
            session = Session(shell)
            session.open()
            _live = session
        return _live


def stop() -> None:
    """End the helper and leave the kernel as it was before; does nothing without one."""
    global _live
    session, _live = _live, None
    if session is not None:
        session.close()


def current() -> Session | None:
    """Return the helper that lives in this process."""
    return None if _live is None or _live.sampler.forked else _live
