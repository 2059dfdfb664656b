"""JSON that another process has written, which may be cut, huge or made to do harm."""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar

T = TypeVar("T", dict[str, Any], list[Any])

_DEEPEST = 50  # levels of lists and objects; a report has ten
_DIGITS = 20  # of an integer
# Never fails on a text that is cut, so that it looks at each character once.
_NO_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[^"\[\]{}]+', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def parse_json(text: bytes | str, kind: type[T], longest: int) -> T | None:
    """Return the value in a text of at most `longest` bytes or characters, `None` for any other.

    The outermost value is of this `kind`. Numbers are finite and small enough to compute with, and
    texts can be sent on. What is inside has to be checked where it is used. Raises nothing.
    """
    try:
        if len(text) <= longest:
            text = text if isinstance(text, str) else text.decode()
            if not _is_deep(text):
                found = _PARSE(text)
                text.encode()
                if r"\ud" in text.lower():  # half characters, unless in pairs
                    json.dumps(found, ensure_ascii=False).encode()
                return found if type(found) is kind else None
    except (ValueError, RecursionError):
        pass
    return None


def _is_deep(text: str) -> bool:
    """Whether the parser, which calls itself, would come deeper than any message of ours goes."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return False
    depth = 0
    for each in _NO_BRACKETS.sub("", text):
        depth += _STEPS.get(each, 0)
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
