"""Shared parts of all engines: sending the helper to workers, and reading their results."""

from __future__ import annotations

import bz2
import json
import time
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

from ..kernel import injection
from ..protocol.checking import PROTOCOL_VERSION
from ..text.messages import message
from ..text.untrusted import parse_json
from .gpus import Done
from .words import TEXTS

BUSY_S, REST_S = 1.0, 5.0
"""Seconds between queries: while a cell runs, and otherwise."""
SILENT_S = 5.0
_KEPT = 100  # failures, until they are taken
_KEPT_S = 600.0
_LONGEST, _NAME = 2**16, 200  # characters
# Not needed in a worker: the kernel's session, its front ends, and freeing memory there.
_STAYS = (
    *("frames/", "handlers/", "release/", "render/", "session/", "terminal/", "trends/"),
    *("workers/beside.py", "workers/console.py", "workers/failure.py", "workers/requests.py"),
)
_STATUS = {
    **dict.fromkeys(("asked", "busy", "gone", "untold"), "refused"),
    "begun": "done",
    "nothing": "nothing",
    "unanswered": "failed",
}
_BY_VALUE = "__main__"  # pickled by value, as workers cannot import this module


class _Failed(NamedTuple):
    time_s: float
    key: str
    found: str
    worker: dict[str, Any]


class FailureLog:
    """Failures that workers have reported, kept until one of them is taken.

    Each has a `key` that its error shares: the error's text, or the identity of the worker.
    """

    def __init__(self) -> None:
        self._entries: deque[_Failed] = deque(maxlen=_KEPT)

    def enter(self, engine: str, key: object, said: dict[str, Any]) -> None:
        """Store a failure: its analysis (`found`) and its worker (`host`, `pid`, `rank`).

        The data is of another process: raises `KeyError` without one of these; wrong types are
        ignored.
        """
        analysis, host, pid, rank = (said[name] for name in ("found", "host", "pid", "rank"))
        is_text = all(type(text) is str for text in (key, analysis, host))
        if is_text and len(analysis) <= _LONGEST and {type(pid), type(rank)} <= {int, type(None)}:
            worker = {"engine": engine, "rank": rank, "pid": pid, "host": host[:_NAME]}
            self._entries.append(_Failed(time.monotonic(), str(key), analysis, worker))

    def take(self, key: str) -> dict[str, Any]:
        """Return a worker's report of its last failure with this key, and clear all.

        `others` is the number of other failures of the last 10 minutes. Empty without a match.
        """
        now_s = time.monotonic()
        fresh = [note for note in list(self._entries) if now_s - note.time_s < _KEPT_S]
        failure = next((note for note in reversed(fresh) if note.key == key), None)
        if failure is None:
            return {}
        self._entries.clear()
        analysis = parse_json(failure.found, dict, _LONGEST) or {}
        if type(report := analysis.get("report")) is dict:
            report["worker"] = failure.worker
        return {**analysis, "others": len(fresh) - 1}


def outcome_of(found: dict[str, Any]) -> Done:
    """Return the outcome of `arriving.given_back`, with a message, or why it was refused."""
    if found["status"] != "done":
        return Done(_STATUS[found["status"]], message(f"worker.{found['status']}", TEXTS))
    sizes = {size: int(found[size]) for size in ("freed_bytes", "returned_bytes")}
    text = message("worker.freed", TEXTS, **sizes)
    return Done("done" if any(sizes.values()) else "nothing", text)


def by_value(*paths: str) -> dict[str, Any]:
    """Return the definitions of these modules, for pickling by value.

    Each module is executed with the public names of those before it, as if it had imported them.
    """
    definitions: dict[str, Any] = {}
    for path in paths:
        space = {**definitions, "__name__": _BY_VALUE}
        exec(compile(sources()[path], f"<{injection.PACKAGE}>/{path}", "exec"), space)  # noqa: S102  a source of the helper
        definitions |= {name: value for name, value in space.items() if not name.startswith("_")}
    return definitions


def pack() -> tuple[bytes, str, str]:
    """Return the helper for a worker that lacks it: compressed modules, protocol, version."""
    modules = {path: text for path, text in sources().items() if not path.startswith(_STAYS)}
    major = PROTOCOL_VERSION.partition(".")[0]
    return bz2.compress(json.dumps(modules).encode()), major, injection.helper_version()


def sources() -> dict[str, str]:
    """Return the sources of the helper's modules by path, brought or installed."""
    finder = injection.finder()
    if finder is not None:
        return finder.sources
    folder = Path(__file__).parents[1]
    files = sorted(folder.rglob("*.py"))
    return {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in files}
