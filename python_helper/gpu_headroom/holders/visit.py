"""Types of a walk and its inspector, as the visits of holders use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Iterator

    from ..frameworks.torch.tensors import Torch
    from .ledger import StorageLedger
    from .place import Place

    Visit = Callable[["Walked", Any, Place], None]


class Inspected(Protocol):
    """Interface of an `Inspector`."""

    shows_saved: bool
    torch: Torch | None

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return what an object keeps."""

    def gradient_of(self, tensor: Any) -> Any:
        """Return the gradient of a tensor."""

    def graph_of(self, tensor: Any) -> Any:
        """Return the node that has made a tensor."""

    def references(self, arrays: list[Any]) -> list[tuple[int, int]]:
        """Count what refers to arrays."""

    def is_tensor(self, value: object) -> bool:
        """Whether it is a tensor of PyTorch's."""

    def is_module(self, value: object) -> bool:
        """Whether it is a model."""

    def may_save(self, node: Any) -> bool:
        """Whether such nodes save tensors."""

    def quiet(self) -> contextlib.AbstractContextManager[Any]:
        """Keep code of subclasses from being run."""

    def saved_by(self, node: Any) -> Iterator[Any]:
        """Yield what a node has saved."""

    def visit_of(self, kind: type) -> Visit | None:
        """Return how objects of a class are looked into."""


class Walked(Protocol):
    """Interface of a `Walk`."""

    errors: list[tuple[Any, Place]]
    graphs: list[tuple[Any, Place]]
    ledger: StorageLedger
    models: list[Any]
    nodes: dict[Any, int]
    promises: list[Any]
    reached: set[object]
    results: list[tuple[Any, Place]]
    saved: dict[Any, list[object]]
    saved_from: dict[Any, Place]

    @property
    def inspector(self) -> Inspected:
        """The inspector of objects."""

    def out_of_time(self) -> bool:
        """Whether the time is spent."""

    def enter(self, array: Any, place: Place, *, graph: bool = False) -> list[object]:
        """Note the memory of an array."""

    def place_of(self, value: object) -> Place | None:
        """Return where the walk came by an object."""

    def push(self, value: Any, place: Place, *, last: bool = False) -> None:
        """Queue an object for a visit."""

    def put_off(self, container: Any, length: int, place: Place) -> bool:
        """Queue a long container for a visit after all other objects."""

    def worthwhile(self, members: list[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the members that may hold something."""
