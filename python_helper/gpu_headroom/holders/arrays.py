"""Arrays of frameworks beside PyTorch: which there are, and what the walk does with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..inspection.classes import comes_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..protocol.wire import FrameworkName
    from .place import Place
    from .storage import Storage
    from .walk import Walk


class Arrays(Protocol):
    """The arrays of one framework. Made only where it is imported and has been initialised."""

    name: FrameworkName
    kinds: tuple[type, ...]

    def storages(self, array: Any) -> Iterable[Storage]:
        """Return the GPU memory behind an array, one storage per device."""


def loaded() -> list[Arrays]:
    """Return the frameworks that this process has imported and initialised."""
    from . import cupy, jax, tensorflow

    found: list[Arrays | None] = [jax.arrays(), tensorflow.arrays(), cupy.arrays()]
    return [each for each in found if each is not None]


def visit(walk: Walk, array: Any, place: Place) -> None:
    """Enter the memory of an array."""
    for each in walk.arrays:
        if comes_from(type(array), *each.kinds):
            for storage in each.storages(array):
                walk.enter(storage, place)
