"""Whether an error says that the GPU ran out of memory, and the numbers it prints.

By class through the MRO, by name and module only, and by text; nothing is imported.
That the request is larger than what was free is no criterion: fragmentation, memory
fractions and driver limits refuse smaller ones.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections import deque
from dataclasses import dataclass
from itertools import islice
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind, origins
from . import libraries
from .excerpt import Reader
from .formats import LOOSE, STRUCTURED, is_refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..readings.snapshot import DeviceReading
    from .formats import Format

_CLASSES = {
    ("torch", "OutOfMemoryError"): "torch",
    ("cupy", "OutOfMemoryError"): "cupy",
    ("tensorflow", "ResourceExhaustedError"): "tensorflow",
    ("cuda", "CUDAOutOfMemoryError"): "cuda",
}
# Functions that hit the same text for pinned host memory or without any shortage.
_HOST_FUNCTIONS = frozenset({"pin_memory", "_pin_memory_loop", "mem_get_info", "cudart"})
_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
# Larger values are "not available" (2**64 under WSL2) or garbage; JavaScript cannot hold them.
_LARGEST = 2**53
_CHAIN_LIMIT = 100
_LONGEST_NAME = 200
_LINKS: Any = tuple([vars(BaseException)[name] for name in ("__cause__", "__context__")])
_NEARLY_FULL_BYTES = 2**30  # a context or a library's handle takes up to about this much


@dataclass(frozen=True, slots=True)
class Recognition:
    """What the error says, in bytes as printed; `None` is not said.

    `reserved_bytes` includes what is in use. `certain` is false where the text also stands for
    other faults: see `is_credible`.
    """

    framework: str
    error_name: str
    error: BaseException
    device_index: int | None = None
    requested_bytes: int | None = None
    capacity_bytes: int | None = None
    free_bytes: int | None = None
    in_use_bytes: int | None = None
    reserved_bytes: int | None = None
    unallocated_bytes: int | None = None
    allowed_bytes: int | None = None
    certain: bool = True


def recognise(error: BaseException) -> Recognition | None:
    """Return what `error`, or an error inside its chain or group, says of a full GPU."""
    reader = Reader()
    found = (_recognise_one(each, reader.text_of(each)) for each in errors_within(error))
    return next(filter(None, found), None)


def is_credible(said: Recognition, device: DeviceReading | None) -> bool:
    """Whether the card was full, where the text alone does not tell; `device` as it is now."""
    free = device.free_bytes if device is not None else None
    return said.certain or free is None or free < _NEARLY_FULL_BYTES


def errors_within(error: BaseException) -> Iterator[BaseException]:
    """Yield `error`, its causes and contexts, and members of groups, each once, outermost first."""
    seen: set[int] = set()
    waiting = deque([error])
    while waiting and len(seen) < _CHAIN_LIMIT:
        each = waiting.popleft()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        linked = (*[link.__get__(each) for link in _LINKS], *islice(_members(each), _CHAIN_LIMIT))
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
    framework = next((_CLASSES[each] for each in kinds if each in _CLASSES), None)
    name = kinds[0][1][:_LONGEST_NAME]
    # Patterns are in lower case, and see one blank wherever a message has white space.
    text = " ".join(message.replace("\\n", " ").split()).lower()
    # The frameworks' own are shorter, and stand in what libraries quote.
    found = _first(STRUCTURED + libraries.STRUCTURED, text)
    if found is None and is_refused(text):
        return None
    found = found or _first(libraries.LOOSE + LOOSE, text)
    if found is None:
        return Recognition(framework, name, error) if framework else None
    if not found.certain and _at_host(error):
        return None
    return _from_format(found, framework, name, text, error)


def _first(formats: Iterable[Format], text: str) -> Format | None:
    return next((each for each in formats if each.sign.search(text)), None)


def _at_host(error: BaseException) -> bool:
    """Whether the frames say that host memory was asked for, or nothing at all."""
    steps = walk_tb(error.__traceback__)
    return any(frame.f_code.co_name in _HOST_FUNCTIONS for frame, _ in steps)


def _from_format(
    found: Format, framework: str | None, name: str, text: str, error: BaseException
) -> Recognition:
    said = {key: _captured(pattern, text) for key, pattern in found.clauses.items()}
    device = said.pop("device", None)
    sizes = {key: _bytes(value) for key, value in said.items() if value}
    capacity = sizes.get("capacity")
    reserved, unallocated = _reserved(sizes)
    return Recognition(
        framework=framework or found.framework,
        error_name=name,
        error=error,
        device_index=_index(device) if device else None,
        requested_bytes=sizes.get("requested"),
        capacity_bytes=capacity,
        free_bytes=_within(sizes.get("free"), capacity),
        in_use_bytes=sizes.get("in_use"),
        reserved_bytes=reserved,
        unallocated_bytes=unallocated,
        allowed_bytes=_within(sizes.get("allowed"), capacity),
        certain=found.certain,
    )


def _captured(pattern: re.Pattern[str], text: str) -> str | None:
    """Return what the last match captured: a wrapped error stands behind its wrapper's words."""
    found = list(pattern.finditer(text))
    return next((group for group in found[-1].groups() if group), None) if found else None


def _index(printed: str) -> int:
    """Read the number of a GPU: digits, or a character of that code."""
    return int(printed) if printed.isdecimal() else ord(printed)


def _bytes(printed: str) -> int | None:
    """Read "1.71 gib", "1,234", "201. gb" or "10.2/22.0 gib" (the first of two)."""
    number, unit = re.match(r"[\d.,]+", printed), re.search(r"[a-z]*$", printed)
    if number is None or unit is None:
        return None
    prefix = unit[0][:1] if unit[0] != "bytes" else ""
    plain = number[0].replace(",", "." if prefix else "")
    try:
        size = int(float(plain) * _UNITS[prefix] + 0.5) if prefix else int(plain.rstrip("."))
    except (ValueError, KeyError):
        return None
    return size if size < _LARGEST else None


def _within(size: int | None, capacity: int | None) -> int | None:
    """Drop a value that the card cannot hold: it is not a measurement."""
    return None if size is not None and capacity is not None and size > capacity else size


def _reserved(sizes: dict[str, int | None]) -> tuple[int | None, int | None]:
    """Return reserved and reserved but unallocated; "cached" of PyTorch 1.3 excludes in use.

    Neither is known where less is said to be reserved than to be in use.
    """
    in_use, reserved = sizes.get("in_use"), sizes.get("reserved")
    unallocated = sizes.get("unallocated")
    if unallocated is None:
        unallocated = sizes.get("cached")
    if in_use is None:
        return reserved, unallocated
    if reserved is None and unallocated is not None:
        reserved = in_use + unallocated
    if reserved is None or not in_use <= reserved < _LARGEST:
        return None, None
    return reserved, reserved - in_use
