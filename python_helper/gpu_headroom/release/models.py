"""Models, tensors and optimizers that variables name, read past their own code."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Turn
from ..frameworks.torch.private import storage_identity
from ..holders import modules
from ..holders.inspector import Inspector
from ..holders.names import user_names
from ..inspection.classes import comes_from
from ..inspection.kinds import is_kind
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .memory import ArrayMemory


class Models:
    """A look at the user's names: holds objects of theirs, so let go of it soon.

    `memory` is what is known of their memory already.
    """

    def __init__(
        self,
        shell: Any,
        inspector: Inspector | None = None,
        memory: ArrayMemory | None = None,
    ) -> None:
        self._inspector = inspector or Inspector(Turn())
        self.torch = self._inspector.torch
        self._values = user_names(shell)
        self._memory = memory
        self._attributes: dict[int, dict[str, Any]] = {}
        self._tensors: dict[int, list[Any]] = {}

    def value(self, name: str) -> Any:
        """Return what a variable is; `None` without one."""
        return self._values.get(name)

    @cached_property
    def named(self) -> dict[str, Any]:
        """The models, then the tensors, by their first name; no part of another model."""
        if self.torch is None:
            return {}
        models = self._of_kind(self.torch.nn_module)
        inner = {id(part) for model in models.values() for part in self.parts(model)[1:]}
        inner.update(id(tensor) for model in models.values() for tensor in self.tensors(model))
        both = {**models, **self._of_kind(self.torch.tensor)}
        return {name: model for name, model in both.items() if id(model) not in inner}

    @cached_property
    def optimizers(self) -> dict[str, Any]:
        """The optimizers by their first name."""
        return {} if self.torch is None else self._of_kind(self.torch.optimizer)

    def parts(self, model: Any) -> list[Any]:
        """Return a model and all models in it; nothing for a tensor."""
        is_model = self._inspector.is_module(model)
        return modules.parts(model, self.attributes) if is_model else []

    def tensors(self, value: Any) -> list[Any]:
        """Return the parameters and buffers of a model, each once; of a tensor, itself."""
        if not self._inspector.is_module(value):
            return [value]
        if id(value) not in self._tensors:
            parts = map(self.attributes, self.parts(value))
            tensors = {id(tensor): tensor for part in parts for tensor in modules.tensors_of(part)}
            self._tensors[id(value)] = list(tensors.values())
        return self._tensors[id(value)]

    def gradients(self, tensors: Iterable[Any]) -> list[tuple[Any, Any]]:
        """Return each tensor that has a gradient, with it."""
        torch = self.torch
        if torch is None:
            return []
        with torch.quiet():
            pairs = [(tensor, torch.gradient_of(tensor)) for tensor in tensors]
        return [(parameter, gradient) for parameter, gradient in pairs if gradient is not None]

    def state(self, optimizer: Any) -> dict[Any, Any]:
        """Return the state that an optimizer keeps itself; empty where it keeps none."""
        state = self.attributes(optimizer).get("state")
        return state if is_kind(state, dict) else {}

    def tensors_in(self, value: Any) -> list[Any]:
        """Return the tensors in an optimizer's state, those in dictionaries and lists included."""
        tensors: dict[int, Any] = {}
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if is_kind(item, dict):
                waiting += list(dict.values(item))
            elif type(item) in (list, tuple):
                waiting += item
            elif self._inspector.is_tensor(item):
                tensors[id(item)] = item
        return list(tensors.values())

    def state_of(self, tensor: Any) -> list[Any]:
        """Return the tensors that the named optimizers remember of a parameter."""
        states = (dict.get(state, tensor) for state in self._states)
        return [
            saved_tensor
            for state in states
            if state is not None
            for saved_tensor in self.tensors_in(state)
        ]

    @cached_property
    def _states(self) -> list[dict[Any, Any]]:
        return [self.state(optimizer) for optimizer in self.optimizers.values()]

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return what an object keeps, without running code of its class."""
        if id(value) not in self._attributes:
            self._attributes[id(value)] = self._inspector.attributes(value)
        return self._attributes[id(value)]

    def storages(self, tensors: Iterable[Any]) -> Storages:
        """Return the memory of tensors on all GPUs, with its bytes."""
        sizes, memory = Storages(), self._memory
        with self._inspector.quiet():
            for tensor in tensors:
                if memory is not None and id(tensor) in memory.storages:
                    sizes.update(memory.sized(memory.storages[id(tensor)]))
                else:
                    storages = self._inspector.storages(tensor)
                    sizes.update((storage.key, storage.bytes) for storage in storages)
        return sizes

    def host_bytes(self, tensors: Iterable[Any]) -> int:
        """Return the memory of plain tensors wherever they are, each storage once."""
        memories = [tensor.untyped_storage() for tensor in tensors]
        return sum({storage_identity(memory): memory.nbytes() for memory in memories}.values())

    def _of_kind(self, kind: type | None) -> dict[str, Any]:
        first: dict[int, tuple[str, Any]] = {}
        for name, value in self._values.items():
            if comes_from(type(value), kind):
                first.setdefault(id(value), (name, value))
        return dict(first.values())
