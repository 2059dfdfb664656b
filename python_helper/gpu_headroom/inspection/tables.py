"""Foreign dictionaries, which other threads may be changing."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    Key = TypeVar("Key")

    Value = TypeVar("Value")


def items_of(table: Mapping[Key, Value]) -> list[tuple[Key, Value]]:
    """Return the entries of a dictionary, or of a class's namespace, as they are at one moment.

    `list(table.items())` makes a tuple for each entry. Up to Python 3.11 that may start the
    collector, whose callbacks and finalizers let other threads run: "dictionary changed size
    during iteration". `copy` does neither; of a subclass it may be user code, so that is not
    copied.
    """
    source: Any = table
    return list(dict.items(source.copy() if type(table) in (dict, MappingProxyType) else source))
