"""Parts of a training that the user's names lead to: models, optimizers, and related objects."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frameworks.torch.private import storage_identity
from ..frameworks.torch.tensors import UNREADABLE
from ..inspection.classes import comes_from, defines
from ..inspection.kinds import is_kind, module_of, mro
from ..inspection.tables import items_of
from . import modules
from .names import user_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .inspector import Inspector

# Optimizers, schedulers, averaged models and scalers of the loss.
_KEEPERS = ("torch.optim", "torch.amp", "torch.cuda.amp")
# Their state is spread over processes, or has a form that only they can load.
_MANAGED = ("torch.distributed", "deepspeed", "bitsandbytes.nn")
_OWN = ("__main__", "types")  # classes of a notebook, `SimpleNamespace`
_MOST_MEMBERS = 50
# More than any way to make a model changes its parameters in place.
_CERTAIN = 8


class Training(NamedTuple):
    """The code that leads to each part of a training, and how large a file of it would be."""

    names: tuple[str, ...]
    bytes: int


class TrainingState:
    """Objects to save for resuming a training: `kept`, by the code that leads to each.

    Models come first, as they are loaded first. `optimizers` are only those whose parameters all
    belong to these models, as part of a state is useless. It refers to the user's objects, so
    release it soon. No code of their classes is run.
    """

    def __init__(self, shell: Any, inspector: Inspector) -> None:
        self._inspector = inspector
        self._torch: Any = inspector.torch
        self.optimizers: dict[str, Any] = {}
        self.kept: dict[str, Any] = {}
        if self._torch is not None:
            # A container may hold all that was trained before.
            names = user_names(shell)
            self.kept = self._find(names) or self._find(names, containers=True)

    @property
    def bytes(self) -> int:
        """The memory of its tensors, which is about the size of a file of it."""
        sizes = {}
        for tensor in self._tensors():
            try:
                memory = self._torch.tensor.untyped_storage(tensor)
                sizes[storage_identity(memory)] = memory.nbytes()
            except UNREADABLE:
                continue  # made of several
        return sum(sizes.values())

    @property
    def versions(self) -> list[int]:
        """Number of in-place changes of each tensor: they differ after a training step."""
        return [self._version(tensor) for tensor in self._tensors()]

    def has_trained(self, *, in_step: bool) -> bool:
        """Whether a step of an optimizer has come to its end; `in_step`: the last one has not."""
        states = [state for one in self.optimizers.values() for state in self.states(one)]
        steps = [self._number(state["step"]) for state in states if "step" in state]
        if max(steps, default=0) > in_step or (states and not steps and not in_step):
            return True
        trained = [model for one in self.optimizers.values() for model in self._trained_by(one)]
        return min(map(self._version, trained), default=0) > _CERTAIN

    def states(self, optimizer: Any) -> list[dict[Any, Any]]:
        """Return what an optimizer remembers of each parameter that it has changed."""
        state = self._own(optimizer).get("state")
        values = list(dict.values(state)) if is_kind(state, dict) else ()
        return [value for value in values if type(value) is dict]

    def _find(self, names: dict[str, Any], *, containers: bool = False) -> dict[str, Any]:
        entries: dict[int, tuple[str, Any]] = {}
        for name, value in self._reachable(names, containers):
            entries.setdefault(id(value), (name, value))
        here = list(entries.values())
        models = [(name, value) for name, value in here if self._inspector.is_module(value)]
        parameter_ids = {id(tensor) for _, model in models for tensor in self._parameters(model)}
        self.optimizers = {
            name: value
            for name, value in here
            if comes_from(type(value), self._torch.optimizer)
            and parameter_ids.issuperset(map(id, self._trained_by(value)))
        }
        optimizers = list(self.optimizers.values())
        trained = {id(tensor) for optimizer in optimizers for tensor in self._trained_by(optimizer)}
        models = [
            (name, model)
            for name, model in models
            if _is_from(model, _KEEPERS) or not trained.isdisjoint(map(id, self._parameters(model)))
        ]
        inner = {id(part) for _, model in models for part in self._parts(model)[1:]}
        objects = {name: model for name, model in models if id(model) not in inner}
        objects |= self.optimizers
        objects |= {name: value for name, value in here if self._goes_with(value, optimizers)}
        parts = [part for value in objects.values() for part in self._parts(value)]
        return {} if not optimizers or any(_is_from(part, _MANAGED) for part in parts) else objects

    def _goes_with(self, value: Any, optimizers: list[Any]) -> bool:
        """Whether it is a scheduler of one of these optimizers, or a scaler."""
        kind = type(value)
        if not (_is_from(value, _KEEPERS) and defines(kind, "load_state_dict")):
            return False
        whose = self._inspector.attributes(value).get("optimizer")
        is_other = self._inspector.is_module(value) or comes_from(kind, self._torch.optimizer)
        return not is_other and (
            whose is None or any(whose is optimizer for optimizer in optimizers)
        )

    def _reachable(self, names: dict[str, Any], containers: bool) -> Iterator[tuple[str, Any]]:
        """Yield values and the code for them: variables, and members two levels below these."""
        level = items_of(names)
        for _ in range(2):
            yield from level
            level = [
                (name + member, inner)
                for name, value in level
                for member, inner in self._members(value, containers)
            ]
        yield from level

    def _members(self, value: Any, containers: bool) -> list[tuple[str, Any]]:
        kind = type(value)
        if containers and kind in (list, tuple):
            return [(f"[{n}]", member) for n, member in enumerate(value[:_MOST_MEMBERS])]
        if containers and kind is dict and len(value) <= _MOST_MEMBERS:
            items = items_of(value)
            return [(f"[{key!r}]", member) for key, member in items if type(key) in (str, int)]
        own = self._inspector.attributes(value) if module_of(kind) in _OWN else {}
        return [(f".{name}", member) for name, member in own.items() if name[0] != "_"]

    def _parts(self, value: Any) -> list[Any]:
        """Return a model and all models in it; anything else alone."""
        is_model = self._inspector.is_module(value)
        return modules.parts(value, self._inspector.attributes) if is_model else [value]

    def _parameters(self, model: Any) -> list[Any]:
        parts = map(self._inspector.attributes, self._parts(model))
        return [tensor for part in parts for tensor in modules.tensors_of(part)]

    def _trained_by(self, optimizer: Any) -> list[Any]:
        groups = self._own(optimizer).get("param_groups")
        return [param for group in groups or () for param in group["params"]]

    def _own(self, optimizer: Any) -> dict[str, Any]:
        """Return what an optimizer keeps, or the one that it wraps."""
        own = self._inspector.attributes(optimizer)
        return own if "state" in own else self._inspector.attributes(own.get("optimizer"))

    def _tensors(self) -> list[Any]:
        """Return all tensors of it."""
        states = [state for one in self.optimizers.values() for state in self.states(one)]
        values = [value for state in states for value in state.values()]
        own = [parameter for one in self.kept.values() for parameter in self._parameters(one)]
        return own + [value for value in values if self._inspector.is_tensor(value)]

    def _version(self, tensor: Any) -> int:
        try:
            return int(self._torch.get(tensor, "_version"))
        except RuntimeError:
            return 0  # one of inference mode does not count

    def _number(self, step: Any) -> float:
        """Return how many steps were made, as far as that can be read without the GPU."""
        if not self._inspector.is_tensor(step):
            return step if type(step) in (int, float) else 0
        with self._inspector.quiet():
            return _CERTAIN if self._torch.on_gpu(step) else float(self._torch.tensor.item(step))


def _is_from(value: Any, origins: tuple[str, ...]) -> bool:
    return any(module_of(base).startswith(origins) for base in mro(type(value)))


def file_stem(execution_count: int | None, time_s: float) -> str:
    """Return how a file begins that has the training of a cell: its prompt and the time."""
    cell = "" if execution_count is None else f"-cell-{execution_count}"
    return f"gpu-headroom{cell}{time.strftime('-%Y%m%d-%H%M%S', time.localtime(time_s))}"
