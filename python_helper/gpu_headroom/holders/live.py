"""The facts of what stands under a notebook's names at a failure, read off the objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..code.facts import Live, LoaderFacts, ModelFacts, TensorFacts
from ..frameworks.torch.tensors import UNREADABLE
from ..inspection.classes import comes_from
from ..inspection.kinds import module_of, mro, name_of
from . import modules
from .names import user_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .inspector import Inspector


def live(shell: Any, inspector: Inspector, trained: Collection[int] = ()) -> Live:
    """Take the facts of a kernel; `trained` are the ids of parameters that optimizers have."""
    return facts_of(user_names(shell), inspector, trained)


def facts_of(
    values: Mapping[str, Any], inspector: Inspector, trained: Collection[int] = ()
) -> Live:
    """Take the facts of these values, and of optimizers among them."""
    torch = inspector.torch
    lengths = {name: len(value) for name, value in values.items() if type(value) in (list, tuple)}
    if torch is None:
        return Live(frozenset(values), lengths=lengths)
    optimizers = {
        name: value for name, value in values.items() if comes_from(type(value), torch.optimizer)
    }
    parameters = {name: _trained_by(optimizer, inspector) for name, optimizer in optimizers.items()}
    known = {*trained, *(key for keys in parameters.values() for key in keys)}
    models = {name: value for name, value in values.items() if inspector.is_module(value)}
    keys = {name: _keys(model, inspector) for name, model in models.items()}
    return Live(
        names=frozenset(values),
        tensors={
            name: fact
            for name, value in values.items()
            if inspector.is_tensor(value) and (fact := _tensor(value, inspector)) is not None
        },
        models={name: _model(model, inspector, known) for name, model in models.items()},
        optimizers={
            name: frozenset(model for model, own in keys.items() if own & ids)
            for name, ids in parameters.items()
        },
        stepped=frozenset(
            name
            for name, optimizer in optimizers.items()
            if inspector.attributes(optimizer).get("state")
        ),
        loaders={
            name: _loader(value, inspector)
            for name, value in values.items()
            if _is_from(value, "torch.utils.data", "DataLoader")
        },
        lengths=lengths,
    )


def _trained_by(optimizer: Any, inspector: Inspector) -> set[int]:
    own = inspector.attributes(optimizer)
    wrapped = own if "param_groups" in own else inspector.attributes(own.get("optimizer"))
    return modules.trained_by(wrapped)


def _keys(model: Any, inspector: Inspector) -> set[int]:
    return {id(each) for _, each in modules.named_parameters(model, inspector.attributes)}


def _model(model: Any, inspector: Inspector, trained: Collection[int]) -> ModelFacts:
    torch = inspector.torch
    parts = modules.parts(model, inspector.attributes)
    modes = {inspector.attributes(part).get("training") is not False for part in parts}
    parameters = modules.named_parameters(model, inspector.attributes)
    needs = [bool(torch.get(each, "requires_grad")) for _, each in parameters if torch is not None]
    known = frozenset(path for path, each in parameters if id(each) in trained)
    return ModelFacts(
        classes=frozenset(_full_name(base) for part in parts for base in mro(type(part))),
        own=frozenset(_full_name(type(part)) for part in parts),
        training=modes.pop() if len(modes) == 1 else None,
        is_trained=bool(known),
        is_frozen=not all(needs),
        trained=known,
    )


def _tensor(tensor: Any, inspector: Inspector) -> TensorFacts | None:
    torch = inspector.torch
    if torch is None:
        return None
    try:
        with inspector.quiet():
            return TensorFacts(
                tuple(torch.get(tensor, "shape")),
                str(torch.get(tensor, "dtype")).removeprefix("torch."),
                torch.on_gpu(tensor),
                bool(torch.get(tensor, "requires_grad")),
            )
    except UNREADABLE:
        return None


def _loader(loader: Any, inspector: Inspector) -> LoaderFacts:
    own = inspector.attributes(loader)
    size, last = own.get("batch_size"), own.get("drop_last")
    return LoaderFacts(
        size if type(size) is int else None,
        last is True,
        _samples(own.get("dataset"), inspector),
    )


def _samples(data: Any, inspector: Inspector) -> int | None:
    """Return the length of data, where it can be told without asking its class."""
    if type(data) in (list, tuple, range):
        return len(data)
    if inspector.is_tensor(data):
        fact = _tensor(data, inspector)
        return fact.shape[0] if fact is not None and fact.shape else None
    own = inspector.attributes(data)
    if _is_exactly(data, "torch.utils.data", "TensorDataset"):
        tensors = own.get("tensors")
        return _samples(tensors[0], inspector) if type(tensors) is tuple and tensors else None
    if _is_exactly(data, "torch.utils.data", "Subset"):
        return _samples(own.get("indices"), inspector)
    return None


def _is_exactly(value: Any, module: str, name: str) -> bool:
    kind = type(value)
    return module_of(kind).startswith(module) and name_of(kind) == name


def _is_from(value: Any, module: str, name: str) -> bool:
    return any(
        module_of(base).startswith(module) and name_of(base) == name for base in mro(type(value))
    )


def _full_name(kind: type) -> str:
    return f"{module_of(kind)}.{str.__str__(name_of(kind))}"
