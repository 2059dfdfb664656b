"""Parts of the memory in use, which add up to it; the last of them is unattributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..protocol.generated.wire import PartKind


def add_up(in_use: int, sizes: Iterable[tuple[PartKind, int]]) -> dict[PartKind, int]:
    """Return the parts in their order, none larger than what those before it leave."""
    parts: dict[PartKind, int] = {}
    rest = in_use
    for kind, size in sizes:
        parts[kind] = min(size, rest)
        rest -= parts[kind]
    return {**parts, "not_attributed": rest}
