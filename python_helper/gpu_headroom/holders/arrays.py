"""Arrays of frameworks: which there are beside PyTorch, and what the walk does with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

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
    """Return the frameworks beside PyTorch that this process has imported and initialised."""
    from . import cupy, jax, tensorflow

    loaded: list[Arrays | None] = [jax.arrays(), tensorflow.arrays(), cupy.arrays()]
    return [each for each in loaded if each is not None]


def visit(walk: Walk, array: Any, place: Place) -> None:
    """Enter the memory of an array."""
    walk.enter(array, place)
