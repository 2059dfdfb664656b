"""Models, tensors and optimizers that variables name, read past their own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..holders import modules, objects
from ..holders.classes import comes_from
from ..holders.names import user_names
from ..holders.storage import Torch
from ..holders.walk import Walk
from ..kinds import is_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TABLES = ("_parameters", "_buffers")


class Models:
    """A look at the user's names: holds objects of theirs, so let go of it soon."""

    def __init__(self, shell: Any) -> None:
        self.torch = Torch.loaded()
        self._values = user_names(shell)
        self._walk = Walk(self.torch)

    def value(self, name: str) -> Any:
        """Return what a variable is; `None` without one."""
        return self._values.get(name)

    def named(self) -> dict[str, Any]:
        """Return the models, then the tensors, by their first name; no part of another model."""
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

    def optimizers(self) -> dict[str, Any]:
        """Return the optimizers by their first name."""
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
                waiting += modules.children(self._walk, each)

    def tensors(self, value: Any) -> list[Any]:
        """Return the parameters and buffers of a model, each once; of a tensor, itself."""
        if not self._is_model(value):
            return [value]
        tables = (
            table
            for part in self.parts(value)
            for name, table in self.attributes(part).items()
            if name in _TABLES and is_kind(table, dict)
        )
        found = (each for table in tables for each in dict.values(table) if each is not None)
        return list({id(each): each for each in found}.values())

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
        states = map(self.state, self.optimizers().values())
        return [each for state in states for each in self.tensors_in(dict.get(state, tensor))]

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return what an object keeps, without running code of its class."""
        return objects.attributes(self._walk, value)

    def bytes(self, tensors: Iterable[Any]) -> int:
        """Return the memory of tensors on all GPUs, each storage once."""
        torch = self.torch
        if torch is None:
            return 0
        with torch.quiet():
            sizes = {s.key: s.bytes for each in tensors for _, s in torch.storages(each)}
        return sum(sizes.values())

    def host_bytes(self, tensors: Iterable[Any]) -> int:
        """Return the memory of plain tensors wherever they are, each storage once."""
        memories = [each.untyped_storage() for each in tensors]
        return sum({each._cdata: each.nbytes() for each in memories}.values())  # noqa: SLF001

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
