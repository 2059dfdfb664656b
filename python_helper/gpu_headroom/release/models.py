"""Models, tensors and optimizers that variables name, read past their own code."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..frameworks.torch.private import storage_identity
from ..holders import modules, objects
from ..holders.names import user_names
from ..holders.storage import Torch
from ..holders.walk import Walk
from ..inspection.classes import comes_from
from ..inspection.kinds import is_kind
from .memory import ArrayMemory, Sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..concurrency.turns import Turn

_TABLES = ("_parameters", "_buffers")


class Models:
    """A look at the user's names: holds objects of theirs, so let go of it soon.

    `memory` is what is known of their memory already.
    """

    def __init__(self, shell: Any, turn: Turn, memory: ArrayMemory | None = None) -> None:
        self.torch = Torch.loaded()
        self._values = user_names(shell)
        self._memory = ArrayMemory() if memory is None else memory
        self._walk = Walk(self.torch, turn)
        self._attributes: dict[int, dict[str, Any]] = {}
        self._tensors: dict[int, list[Any]] = {}

    def value(self, name: str) -> Any:
        """Return what a variable is; `None` without one."""
        return self._values.get(name)

    @cached_property
    def named(self) -> dict[str, Any]:
        """The models, then the tensors, by their first name; no part of another model."""
        torch, found = self.torch, dict[str, Any]()
        if torch is None:
            return found
        wholes = self._of_kind(torch.nn_module)
        inner = {id(each) for whole in wholes.values() for each in [*self.parts(whole)][1:]}
        inner.update(id(each) for whole in wholes.values() for each in self.tensors(whole))
        return {
            name: each
            for name, each in {**wholes, **self._of_kind(torch.tensor)}.items()
            if id(each) not in inner
        }

    @cached_property
    def optimizers(self) -> dict[str, Any]:
        """The optimizers by their first name."""
        return {} if self.torch is None else self._of_kind(self.torch.optimizer)

    def parts(self, model: Any) -> Iterator[Any]:
        """Yield a model and all models in it; nothing for a tensor."""
        seen: set[int] = set()
        waiting = [model] if self._is_model(model) else []
        while waiting:
            each = waiting.pop()
            if id(each) not in seen:
                seen.add(id(each))
                yield each
                waiting += modules.children(self.attributes(each))

    def tensors(self, value: Any) -> list[Any]:
        """Return the parameters and buffers of a model, each once; of a tensor, itself."""
        if not self._is_model(value):
            return [value]
        if id(value) not in self._tensors:
            tables = (
                table
                for part in self.parts(value)
                for name, table in self.attributes(part).items()
                if name in _TABLES and is_kind(table, dict)
            )
            found = (each for table in tables for each in dict.values(table) if each is not None)
            self._tensors[id(value)] = list({id(each): each for each in found}.values())
        return self._tensors[id(value)]

    def gradients(self, tensors: Iterable[Any]) -> list[tuple[Any, Any]]:
        """Return each tensor that has a gradient, with it. PyTorch warns where there is none."""
        torch = self.torch
        if torch is None:
            return []
        with torch.quiet():
            pairs = [
                (each, torch.get(each, "grad"))
                for each in tensors
                if torch.get(each, "is_leaf") or torch.get(each, "retains_grad")
            ]
        return [(each, gradient) for each, gradient in pairs if gradient is not None]

    def state(self, optimizer: Any) -> dict[Any, Any]:
        """Return the state that an optimizer keeps itself; empty where it keeps none."""
        state = self.attributes(optimizer).get("state")
        return state if is_kind(state, dict) else {}

    def tensors_in(self, value: Any) -> list[Any]:
        """Return the tensors in an optimizer's state, those in dictionaries and lists included."""
        found: dict[int, Any] = {}
        waiting = [value]
        while waiting:
            each = waiting.pop()
            if is_kind(each, dict):
                waiting += dict.values(each)
            elif type(each) in (list, tuple):
                waiting += each
            elif self._is_tensor(each):
                found[id(each)] = each
        return list(found.values())

    def state_of(self, tensor: Any) -> list[Any]:
        """Return the tensors that the named optimizers remember of a parameter."""
        kept = (dict.get(state, tensor) for state in self._states)
        return [each for one in kept if one is not None for each in self.tensors_in(one)]

    @cached_property
    def _states(self) -> list[dict[Any, Any]]:
        return [self.state(each) for each in self.optimizers.values()]

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return what an object keeps, without running code of its class."""
        if id(value) not in self._attributes:
            self._attributes[id(value)] = objects.attributes(self._walk, value)
        return self._attributes[id(value)]

    def storages(self, tensors: Iterable[Any]) -> Sizes:
        """Return the memory of tensors on all GPUs, with its bytes."""
        torch, memory, found = self.torch, self._memory, Sizes()
        if torch is None:
            return found
        with torch.quiet():
            for tensor in tensors:
                known = memory.behind.get(id(tensor))
                if known is not None:
                    found.update(memory.sizes_of(known))
                else:
                    found.update((each.key, each.bytes) for _, each in torch.storages(tensor))
        return found

    def host_bytes(self, tensors: Iterable[Any]) -> int:
        """Return the memory of plain tensors wherever they are, each storage once."""
        memories = [each.untyped_storage() for each in tensors]
        return sum({storage_identity(each): each.nbytes() for each in memories}.values())

    def _is_tensor(self, value: Any) -> bool:
        return self.torch is not None and comes_from(type(value), self.torch.tensor)

    def _is_model(self, value: Any) -> bool:
        return self.torch is not None and comes_from(type(value), self.torch.nn_module)

    def _of_kind(self, kind: type | None) -> dict[str, Any]:
        first: dict[int, tuple[str, Any]] = {}
        for name, value in self._values.items():
            if comes_from(type(value), kind):
                first.setdefault(id(value), (name, value))
        return dict(first.values())
