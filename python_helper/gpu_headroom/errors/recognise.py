"""Whether an error says that the GPU ran out of memory, and the numbers it prints.

By class through the MRO, by name and module only, and by text; nothing is imported.
That the request is larger than what was free is no criterion: fragmentation, memory
fractions and driver limits refuse smaller ones.
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
from .origin import is_brought_here, is_named_elsewhere
from .reader import Reader

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
    """An error that says that the GPU ran out of memory, and what it says.

    `in_other_process` is true where it was raised in another process, and came here from there.
    """

    error: BaseException
    error_name: str
    said: Statement
    in_other_process: bool = False


def recognise(error: BaseException) -> Recognition | None:
    """Return what `error`, or an error inside its chain or group, says of a full GPU."""
    reader, errors = Reader(), list(errors_within(error))
    each_found = (_recognise_one(exception, reader.text_of(exception)) for exception in errors)
    recognition = next(filter(None, each_found), None)
    if recognition is None:
        return None
    other = is_named_elsewhere(errors) or is_brought_here(recognition.error)
    return replace(recognition, in_other_process=other)


def is_credible(said: Statement, device: DeviceReading | None) -> bool:
    """Whether the card was full, where the text alone does not tell; `device` as it is now."""
    free = device.free_bytes if device is not None else None
    return said.certain or free is None or free < _NEARLY_FULL_BYTES


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
    found: tuple[object, ...] = vars(group)["exceptions"].__get__(error)
    return found


def _recognise_one(error: BaseException, message: str) -> Recognition | None:
    kinds = origins(type(error))
    framework = next((CLASSES[kind] for kind in kinds if kind in CLASSES), None)
    said = statement.of_class(statement.read(message), framework, message)
    if said is None or (not said.certain and _at_host(error)):
        return None
    name = kinds[0][1][:_LONGEST_NAME]
    return Recognition(error, name, said)


def _at_host(error: BaseException) -> bool:
    """Whether the frames say that host memory was asked for, or nothing at all."""
    steps = walk_tb(error.__traceback__)
    return any(frame.f_code.co_name in HOST_FUNCTIONS for frame, _ in steps)
