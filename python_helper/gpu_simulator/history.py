"""The allocator's optional history: who allocated a block, and the trace of events."""

from __future__ import annotations

import sys
from collections import deque
from traceback import walk_stack
from typing import Any

from .tracebacks import is_own


class History:
    """Recording of `torch.cuda.memory._record_memory_history`; off until `record`."""

    def __init__(self) -> None:
        self._with_frames = False
        self._trace: deque[dict[str, Any]] | None = None

    def record(
        self,
        enabled: str | None,
        *,
        frames: bool,
        max_entries: int = sys.maxsize,
        clear: bool = False,
    ) -> None:
        """Record trace events from now on, with Python frames of blocks if `frames` is set.

        At most `max_entries` events are kept if `enabled` is "all", and the last one if it is
        "state". Earlier events stay while recording continues, unless `clear` is set.
        """
        self._with_frames = frames
        before = () if clear or self._trace is None else self._trace
        kept = max_entries if enabled == "all" else 1
        self._trace = None if enabled is None else deque(before, min(kept, sys.maxsize))

    def trace(self) -> list[dict[str, Any]]:
        """Return the recorded events, oldest first."""
        return list(self._trace or ())

    def capture_frames(self) -> list[dict[str, Any]] | None:
        """Return the caller's Python frames, innermost first; `None` if they are not recorded.

        Frames of the simulator are left out: with a real GPU that part is C++.
        """
        if not self._with_frames:
            return None
        stack = walk_stack(sys._getframe(1))  # noqa: SLF001 -- the only way to the callers without a traceback
        return [
            {"filename": frame.f_code.co_filename, "line": line, "name": frame.f_code.co_name}
            for frame, line in stack
            if not is_own(frame)
        ]

    def note(
        self,
        action: str,
        address: int,
        size: int,
        frames: list[dict[str, Any]] | None = None,
        **more: int,
    ) -> None:
        """Append an event of PyTorch's trace format."""
        if self._trace is not None:
            event = {"action": action, "addr": address, "size": size, "stream": 0}
            self._trace.append({**event, "frames": frames or [], **more})
