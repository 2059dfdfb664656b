"""The least request of each kind: empty texts and lists, and no more than has to be there."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from gpu_headroom.protocol.checking import REQUESTS

_EACH_HAS = {"type", "id", "protocol_version"}


def least(kind: str) -> dict[str, Any]:
    """Return the keys of such a request besides those that each has."""
    return {key: value for key, value in _least(REQUESTS[kind]).items() if key not in _EACH_HAS}


def _least(hint: Any) -> Any:
    if is_typeddict(hint):
        return {key: _least(inner) for key, inner in get_type_hints(hint).items()}
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    return None if type(None) in get_args(hint) else (get_origin(hint) or hint)()
