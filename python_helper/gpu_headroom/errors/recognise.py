"""Check of whether an error reports a full GPU, and the numbers in its message.

Errors are recognized by class, through the name and module of each in the MRO, and by text; nothing
is imported. A request larger than the free memory is no criterion: fragmentation, memory fractions
and driver limits refuse smaller ones.
"""

from __future__ import annotations

import builtins
import sys
from collections import deque
from dataclasses import dataclass, replace
from itertools import islice
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind, origins
from . import statement
from .formats import CLASSES, HOST_FUNCTIONS
from .origin import brought_by, named_by
from .reader import Reader
from .remote import RemoteWorker, carried, carrier, without_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..readings.snapshot import DeviceReading
    from .statement import Statement

_CHAIN_LIMIT = 100
_LONGEST_NAME = 200
_LINKS: Any = tuple([vars(BaseException)[name] for name in ("__cause__", "__context__")])
_NEARLY_FULL_BYTES = 2**30  # a context or a library's handle takes up to about this much


@dataclass(frozen=True, slots=True)
class Recognition:
    """An error that reports a full GPU, and the contents of its message.

    `worker` is the other process in which it was raised, with the traceback's text that the engine
    stores; `also_failed` is the number of further workers that failed in the same way.
    """

    error: BaseException
    error_name: str
    said: Statement
    worker: RemoteWorker | None = None
    traceback: str = ""
    also_failed: int = 0

    @property
    def in_other_process(self) -> bool:
        """Whether it was raised in another process, and came here from there."""
        return self.worker is not None


def recognise(error: BaseException) -> Recognition | None:
    """Return what `error`, or an error inside its chain or group, says of a full GPU."""
    reader, errors = Reader(), list(errors_within(error))
    for exception in errors:
        if carrier(exception) is not None:
            brought = list(_of_workers(exception, reader))
            if brought:
                return replace(brought[0], also_failed=len(brought) - 1)
            continue
        recognition = _recognise_one(exception, reader.text_of(exception))
        if recognition is not None:
            engine = named_by(errors) or brought_by(exception)
            whose = RemoteWorker(engine) if engine else None
            pieces = [
                piece for part in errors for brought in carried(part) for piece in brought.pieces
            ]
            texts = [reader.read(piece) for piece in pieces if is_kind(piece, str)]
            return replace(recognition, worker=whose, traceback="\n".join(texts))
    return None


def _of_workers(error: BaseException, reader: Reader) -> Iterator[Recognition]:
    """Yield what each worker says that ran out, of those whose failures an error has brought."""
    is_found = False
    for worker, is_digest, pieces in carried(error):
        if is_found and is_digest:
            return
        texts = [reader.read(piece) for piece in pieces if is_kind(piece, str)]
        inner = [piece for piece in pieces if is_kind(piece, BaseException)]
        errors = [part for cause in inner for part in errors_within(cause)]
        recognitions = [_recognise_one(part, reader.text_of(part)) for part in errors]
        recognitions += [_recognise_one(error, without_steps(text)) for text in texts]
        recognition = next(filter(None, recognitions), None)
        if recognition is not None:
            is_found = True
            yield replace(recognition, worker=worker, traceback="\n".join(texts))


def is_credible(said: Statement, device: DeviceReading | None) -> bool:
    """Whether the GPU was full, where the text alone does not tell; `device` as it is now."""
    free = device.free_bytes if device is not None else None
    return said.certain or free is None or free < max(_NEARLY_FULL_BYTES, said.requested_bytes or 0)


def errors_within(error: BaseException) -> Iterator[BaseException]:
    """Yield `error`, its causes and contexts, and members of groups, each once, outermost first."""
    seen: set[int] = set()
    waiting = deque([error])
    while waiting and len(seen) < _CHAIN_LIMIT:
        exception = waiting.popleft()
        if id(exception) in seen:
            continue
        seen.add(id(exception))
        yield exception
        linked = (
            *[link.__get__(exception) for link in _LINKS],
            *islice(_members(exception), _CHAIN_LIMIT),
        )
        waiting += [other for other in linked if is_kind(other, BaseException)]


def _members(error: BaseException) -> Iterable[object]:
    """Return the errors of a group; before Python 3.11 groups come from a package."""
    where = builtins if sys.version_info >= (3, 11) else sys.modules.get("exceptiongroup")
    group = getattr(where, "BaseExceptionGroup", None)
    if group is None or not is_kind(error, group):
        return ()
    members: tuple[object, ...] = vars(group)["exceptions"].__get__(error)
    return members


def _recognise_one(error: BaseException, message: str) -> Recognition | None:
    kinds = origins(type(error))
    framework = next((CLASSES[kind] for kind in kinds if kind in CLASSES), None)
    contents = statement.of_class(statement.read(message), framework, message)
    if contents is None or (not contents.certain and _at_host(error)):
        return None
    name = kinds[0][1][:_LONGEST_NAME]
    return Recognition(error, name, contents)


def _at_host(error: BaseException) -> bool:
    """Whether the frames say that host memory was asked for, or nothing at all."""
    steps = walk_tb(error.__traceback__)
    return any(frame.f_code.co_name in HOST_FUNCTIONS for frame, _ in steps)
