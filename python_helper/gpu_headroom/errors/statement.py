"""Contents of a message about a full GPU: the framework, and the numbers printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .formats import LOOSE, STRUCTURED, is_refused
from .unknown import ANY, is_of_gpu

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..frameworks.errortext import Format

_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
# Larger values are "not available" (2**64 under WSL2) or garbage; JavaScript cannot hold them.
_LARGEST = 2**53
_GRANULE = 256  # no allocator of a GPU hands out less: the failure of fewer bytes is another fault
# What programs say behind it where they went on: the error is then another one.
_SURVIVED = re.compile(
    r"\bretrying\b|\bfalling back\b|\battempting to (?:recover|free)|\bsucceeded\b"
    r"|, using (?:the )?cpu\b|\b(?:was|were) (?:caught|handled)\b|\bskipping\b"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """Contents of a message, in bytes as printed; `None` for values that it does not contain.

    `reserved_bytes` includes memory in use. `certain` is false if the text may have other causes.
    """

    framework: str
    device_index: int | None = None
    requested_bytes: int | None = None
    capacity_bytes: int | None = None
    free_bytes: int | None = None
    in_use_bytes: int | None = None
    reserved_bytes: int | None = None
    unallocated_bytes: int | None = None
    allowed_bytes: int | None = None
    certain: bool = True


def read(message: str) -> Statement | None:
    """Return the contents of a message; `None` if it is not about a GPU, or not a full one."""
    text = plain(message)
    message_format = _first(STRUCTURED, text)
    if message_format is None and is_refused(text):
        return None
    message_format = message_format or _first(LOOSE, text) or (ANY if is_of_gpu(text) else None)
    if message_format is None or _is_survived(message_format, text):
        return None
    statement = _by_clauses(message_format, text)
    is_numbered = any((statement.capacity_bytes, statement.free_bytes, statement.in_use_bytes))
    is_few = statement.requested_bytes is not None and statement.requested_bytes < _GRANULE
    return None if is_few and not is_numbered else statement


def of_class(said: Statement | None, framework: str | None, message: str) -> Statement | None:
    """Return the contents of a message of an error whose class may be a `framework`'s.

    Such a class alone reports a full GPU, unless the message is about something else.
    """
    if framework is None:
        return said
    if said is not None:
        return replace(said, framework=framework)
    return None if is_of_else(message) else Statement(framework)


def is_of_else(message: str) -> bool:
    """Whether a text speaks of another shortage, or of another fault."""
    return is_refused(plain(message))


def plain(message: str) -> str:
    """Return a text as patterns see it: in lower case, and one blank for any white space."""
    return " ".join(message.replace("\\n", " ").split()).lower()


def _first(formats: Iterable[Format], text: str) -> Format | None:
    return next((candidate for candidate in formats if candidate.sign.search(text)), None)


def _is_survived(found: Format, text: str) -> bool:
    """Whether a program says behind the last place of a text that it went on."""
    end = max(match.end() for match in found.sign.finditer(text))
    return _SURVIVED.search(text, end) is not None


def _by_clauses(found: Format, text: str) -> Statement:
    clauses = {key: captured(pattern, text) for key, pattern in found.clauses.items()}
    device = clauses.pop("device", None)
    sizes = {key: bytes_of(value) for key, value in clauses.items() if value}
    capacity = sizes.get("capacity")
    reserved, unallocated = _reserved(sizes)
    return Statement(
        framework=found.framework,
        device_index=_index(device) if device else None,
        requested_bytes=sizes.get("requested"),
        capacity_bytes=capacity,
        free_bytes=within(sizes.get("free"), capacity),
        in_use_bytes=sizes.get("in_use"),
        reserved_bytes=reserved,
        unallocated_bytes=unallocated,
        allowed_bytes=within(sizes.get("allowed"), capacity),
        certain=found.certain,
    )


def captured(pattern: re.Pattern[str], text: str) -> str | None:
    """Return a group of the last match: a wrapped error comes after the words of its wrapper."""
    matches = list(pattern.finditer(text))
    return next((group for group in matches[-1].groups() if group), None) if matches else None


def _index(printed: str) -> int:
    """Read the number of a GPU: digits, or a character of that code."""
    return int(printed) if printed.isdecimal() else ord(printed)


def bytes_of(printed: str) -> int | None:
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


def within(size: int | None, capacity: int | None) -> int | None:
    """Drop a value that the GPU cannot hold: it is not a measurement."""
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
