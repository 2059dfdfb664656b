"""JSON from other processes, which may be truncated, huge or malicious."""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar

T = TypeVar("T", dict[str, Any], list[Any])

_DEEPEST = 50  # levels of lists and objects; a report has ten
_DIGITS = 20  # of an integer
# Matches truncated strings too, so that it reads each character once.
_NO_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[^"\[\]{}]+', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def parse_json(text: bytes | str, kind: type[T], longest: int) -> T | None:
    """Return the value in a text of at most `longest` bytes or characters, `None` for any other.

    The outermost value is of this `kind`. Numbers are finite and small enough to compute with, and
    strings can be encoded. Callers check the values inside. Raises nothing.
    """
    try:
        if len(text) <= longest:
            text = text if isinstance(text, str) else text.decode()
            if not _is_deep(text):
                value = _PARSE(text)
                text.encode()
                if r"\ud" in text.lower():  # half characters, unless in pairs
                    json.dumps(value, ensure_ascii=False).encode()
                return value if type(value) is kind else None
    except (ValueError, RecursionError):
        pass
    return None


def _is_deep(text: str) -> bool:
    """Whether the text is nested deeper than any message, since the parser is recursive."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return False
    depth = 0
    for bracket in _NO_BRACKETS.sub("", text):
        depth += _STEPS.get(bracket, 0)
        if depth > _DEEPEST:
            return True
    return False


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("of too many digits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


_PARSE = json.JSONDecoder(parse_int=_integer, parse_float=_finite, parse_constant=_finite).decode
