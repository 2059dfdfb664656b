"""Check of a front end's requests against the types generated from the schema."""

from __future__ import annotations

import math
import types
from functools import cache
from itertools import repeat
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeGuard,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from .generated.requests import Request

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = "2.2"

_LONGEST = 10_000  # characters of an id, a name or a path, which may be stored for long
_LARGEST = 2**63  # of integers
_RECEIVED = "received"
_MAY_BE_LONG = frozenset({"data", "printed", "sources", _RECEIVED})
_LATER = frozenset({"measure_workers"})  # not sent by front ends of an earlier minor version

REQUESTS: Mapping[str, type] = {
    get_args(get_type_hints(kind)["type"])[0]: kind for kind in get_args(Request)
}


def same_major(version: str) -> bool:
    """Whether protocol `version` (`major.minor`) is compatible."""
    return version.partition(".")[0] == PROTOCOL_VERSION.partition(".")[0]


def flaw(request: Mapping[str, object]) -> str | None:
    """Return the path of a missing key or one with a wrong type; `None` for a valid request.

    Unknown keys are allowed: a newer minor version may add some.
    """
    return _flaw(request, REQUESTS[str(request["type"])], "")


def is_shaped(value: object, kind: type) -> bool:
    """Whether a value from another process is such a `TypedDict`, with texts of any length."""
    return _flaw(value, kind, _RECEIVED) is None


@cache
def _hints(kind: type) -> dict[str, object]:
    return get_type_hints(kind)


def _flaw(value: object, hint: object, path: str) -> str | None:
    origin, options = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        flaws = [_flaw(value, option, path) for option in options]
        return None if None in flaws else flaws[0]
    if isinstance(hint, type) and is_typeddict(hint):
        return _flaw_of_keys(value, hint, path)
    # Before Python 3.11 `list[str]` is an instance of `type`, but unusable with `isinstance`.
    if origin in {list, dict, tuple}:
        return _flaw_of_items(value, origin, options, path)
    if origin is Literal:
        return None if value in options else path
    return None if _is(value, hint, path) else path


def _flaw_of_items(value: object, kind: object, options: Any, path: str) -> str | None:
    """Return the path of a list or dict with a flaw; a tuple is a list of fixed length."""
    if not isinstance(value, dict if kind is dict else list):
        return path
    items = [*value.values()] if isinstance(value, dict) else value
    hints = options if kind is tuple else options[-1:] * len(items)
    fits = len(hints) == len(items) and not any(map(_flaw, items, hints, repeat(path)))
    return None if fits else path


def _flaw_of_keys(value: object, kind: type, path: str) -> str | None:
    if not isinstance(value, dict):
        return path
    for key, hint in _hints(kind).items():
        key_path = f"{path}.{key}" if path else key
        missing = key_path if key not in value else _flaw(value[key], hint, key_path)
        if missing and not (key in _LATER and key not in value):
            return missing
    return None


def is_text(value: object, longest: int | None = _LONGEST) -> TypeGuard[str]:
    """Whether a value is a text that can be sent back: no lone surrogates, which JSON allows."""
    if not isinstance(value, str) or (longest is not None and len(value) > longest):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is(value: object, hint: object, path: str) -> bool:
    if hint is str:
        return is_text(value, None if path.partition(".")[0] in _MAY_BE_LONG else _LONGEST)
    if hint is float and isinstance(value, float):
        return math.isfinite(value)
    if hint is float:
        hint = int
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST
    return isinstance(hint, type) and isinstance(value, hint)
