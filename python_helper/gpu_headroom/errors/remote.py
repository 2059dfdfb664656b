"""Errors of other processes as they arrive in this one: their contents and their origin.

An engine that sends work to other processes wraps a worker's error in one of its own, which stores
it as an error or as text. It is read through `vars`, without calling properties or `str`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..inspection.classes import namespace_of
from ..inspection.kinds import args_of, is_kind, mro, name_of, origins

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Literal

    Engine = Literal["command", "dask", "ipyparallel", "process", "rank", "ray"]

CARRIERS: Mapping[str, Engine] = {
    "RayError": "ray",
    "WorkerGroupError": "ray",
    "RemoteError": "ipyparallel",
    "ChildFailedError": "rank",
    "ProcessException": "rank",
    "RemoteTraceback": "process",
    "_RemoteTraceback": "process",
    "CalledProcessError": "command",
}
"""Classes that bring errors of others, or stand for their traceback, and who has them."""

_INSIDE = "ProcessFailure"  # what elastic's error keeps of each rank
_TEXT = "error_msg"  # the variable of Ray's class for one error that has its text
_KEYS = {"error_index": "rank", "engine_id": "rank", "error_pid": "pid", "pid": "pid", "ip": "host"}
# How PyTorch's processes and Ray's begin, elastic's summary, and what a rank puts before each line.
_NAMED = re.compile(
    r"^-- Process (?P<rank>\d{1,9}) terminated with"
    r"|\(pid=(?P<pid>\d{1,10}), ip=(?P<host>[\w.:-]{1,99})"
    r"|host {1,9}: (?P<host_>\S{1,99})\s{1,99}rank {1,9}: (?P<rank_>\d{1,9}) .{1,99}\s"
    r".{1,99}\(pid: (?P<pid_>\d{1,10})\)"
    r"|^\[rank(?P<rank__>\d{1,9})\]:",
    re.MULTILINE,
)
# A step of a traceback, with the code below it, as Python and as IPython print it.
_STEP = re.compile(
    r"^([ \t|]*)(?:File |Cell In)[^\n]*\n(?:\1[ \t][^\n]*\n?|\s*\n|-+> ?\d[^\n]*\n)*", re.MULTILINE
)
_COLOUR = re.compile(r"\x1b\[[\d;]{0,20}m")
_DEEPEST = 6
_MOST = 1000  # things that one error carries
_LONGEST = 2**18  # of a text's last bytes


@dataclass(frozen=True, slots=True)
class RemoteWorker:
    """A process that works for this notebook, as far as its error names it.

    `engine` is who sent the work there; `rank` is also the number of an engine of ipyparallel.
    """

    engine: Engine
    rank: int | None = None
    pid: int | None = None
    host: str | None = None


def carrier(error: BaseException) -> Engine | None:
    """Return the engine that raises such errors for a remote process; `None` for local errors."""
    return next((CARRIERS[name] for _, name in origins(type(error)) if name in CARRIERS), None)


class Brought(NamedTuple):
    """Errors and texts of one worker; others are less certain where their error `is_digest` of it.

    Such a one says itself what several workers failed with, and may have cut it.
    """

    worker: RemoteWorker
    is_digest: bool
    pieces: list[BaseException | str]


def carried(error: BaseException) -> list[Brought]:
    """Return the remote errors in an error, stored ones before those in its own message."""
    by_worker, engine = dict[tuple[RemoteWorker, bool], Brought](), carrier(error)
    waiting: list[tuple[Any, RemoteWorker, int]] = (
        [(error, RemoteWorker(engine), 0)] if engine else []
    )
    seen = {id(error)}
    for value, worker, depth in waiting:  # it grows meanwhile
        text = _text(value)
        if text is not None or (is_kind(value, BaseException) and carrier(value) is None):
            key = worker, depth == 1
            by_worker.setdefault(key, Brought(*key, [])).pieces.append(text or value)
            continue
        parts = _parts(value)
        args = () if depth else args_of(error)
        named = _named(
            parts, named_in("\n".join([_text(argument) or "" for argument in args]), worker)
        )
        for key, part in parts.items() if depth < _DEEPEST else ():
            if len(waiting) < _MOST and (is_kind(part, str) or id(part) not in seen):
                seen.add(id(part))
                of_rank = type(key) is int and type(value) is dict
                waiting.append((part, replace(named, rank=key) if of_rank else named, depth + 1))
    return sorted(by_worker.values(), key=lambda candidate: candidate.is_digest)


def without_steps(text: str) -> str:
    """Return a traceback without its steps: their code may quote anything."""
    return _STEP.sub("", text)


def _text(value: object) -> str | None:
    end = slice(-_LONGEST, None)
    if is_kind(value, bytes):
        value = bytes.__getitem__(value, end).decode(errors="replace")
    return _COLOUR.sub("", str.__getitem__(value, end)) if is_kind(value, str) else None


def _parts(value: Any) -> Mapping[Any, Any]:
    """Return what is inside of a value, by key, name or place."""
    if type(value) is dict:
        return value
    if type(value) in {list, tuple}:
        return dict(enumerate(value))
    kind = type(value)
    if is_kind(value, BaseException):
        fields = {**dict(_kept_by(kind, value)), **vars(value)}
        if fields.pop("cmd", None) is not None:
            return fields  # a command may quote anything, and `args` contains it too
        return fields or {str(n): argument for n, argument in enumerate(args_of(value))}
    return vars(value) if name_of(kind) == _INSIDE else {}


def _kept_by(kind: type, error: BaseException) -> Iterator[tuple[str, Any]]:
    """Yield values of slots, and the text in Ray's class for one error, which names the process."""
    for base in mro(kind):
        for name, slot in namespace_of(base).items():
            if name in _KEYS and type(slot) is MemberDescriptorType:
                yield name, slot.__get__(error)
    method = namespace_of(kind).get("__str__")
    if type(method) is FunctionType and _TEXT in method.__code__.co_freevars:
        cells = dict(zip(method.__code__.co_freevars, method.__closure__ or (), strict=True))
        yield _TEXT, cells[_TEXT].cell_contents


def _named(parts: Mapping[Any, Any], worker: RemoteWorker) -> RemoteWorker:
    """Return a worker with what the parts of its error say of it."""
    for part in list(parts.values()):
        worker = named_in(_text(part) or "", worker)
        if type(part) is dict and "engine_id" in part:
            parts = {**parts, "engine_id": part["engine_id"]}
    fields: dict[str, Any] = {
        field: parts[key]
        for key, field in _KEYS.items()
        if type(parts.get(key)) is (str if field == "host" else int)
    }
    return replace(worker, **fields)


def named_in(text: str, worker: RemoteWorker) -> RemoteWorker:
    """Return a worker with what a text says of it, the last one that it names."""
    fields = dict[str, Any]()
    for match in _NAMED.finditer(text):
        groups = {key.rstrip("_"): value for key, value in match.groupdict().items() if value}
        fields |= {key: value if key == "host" else int(value) for key, value in groups.items()}
    return replace(worker, **fields)
