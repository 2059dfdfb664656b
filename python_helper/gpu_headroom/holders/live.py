"""Facts about the values of a notebook's variables at a failure, read from the objects."""

from __future__ import annotations

import re
import sys
from collections import deque
from functools import partial
from opcode import opmap
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..code.facts import Live, ModelFacts, ScheduleFacts
from ..code.reading import check_time
from ..concurrency.other_threads import kind_of_file
from ..inspection.classes import comes_from, defines, namespace_of
from ..inspection.kinds import is_kind, module_of, mro, name_of, origins, top_of
from ..inspection.tables import items_of
from ..own import OURS
from . import modules

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from .inspector import Inspector

# The library, its own method, and the flag of a module that it sets.
_CHECKPOINTS = (
    ("transformers", "gradient_checkpointing_enable"),
    ("diffusers", "enable_gradient_checkpointing"),
    ("timm", "set_grad_checkpointing"),
)
_IS_ON = ("gradient_checkpointing", "grad_checkpointing")
_SCHEDULES = ("total_steps", "T_max", "num_training_steps", "total_iters")
_ACCUMULATES = re.compile(r"accum|grad_steps", re.IGNORECASE)
_PLAIN = (int, float, str, bool, type(None))
_MOST_ENTRIES = 100
_OF_TRAINER = "gradient_accumulation_steps"
_STEP = re.compile(r"(?:^|\.)(\w+)|\[(\d+)\]")
_GROWS = frozenset({"append", "extend", "appendleft", "add", "insert", "setdefault", "put"})
_OTHERS = ("__init__", "forward")


def live(values: Mapping[str, Any], inspector: Inspector) -> Live:
    """Take the facts of these values; each class is looked at once."""
    check_time(every=1)
    torch, kinds = inspector.torch, {id(type(value)): type(value) for value in values.values()}

    def of(is_so: Callable[[type], bool]) -> dict[str, Any]:
        those = {key for key, kind in kinds.items() if is_so(kind)}
        return {name: value for name, value in values.items() if id(type(value)) in those}

    optimizers = of(lambda kind: torch is not None and comes_from(kind, torch.optimizer))
    trained = set[int]().union(
        *[_parameters_of(inspector.attributes(optimizer)) for optimizer in optimizers.values()]
    )
    models = {
        name: _model(value, inspector, trained)
        for name, value in values.items()
        if inspector.is_module(value)
    }
    accumulates = {
        name: value
        for name, value in values.items()
        if type(value) is int and value > 1 and _ACCUMULATES.search(name)
    }
    trainer = ""
    for name, value in of(lambda k: ("transformers", "TrainingArguments") in origins(k)).items():
        own = inspector.attributes(value)
        steps = own.get(_OF_TRAINER)
        if type(steps) is int and steps > 1:
            accumulates[_OF_TRAINER] = steps
        trainer = name if own.get("gradient_checkpointing") is False else trainer
    of_modules = dict[str, bool]()
    return Live(
        models=models,
        lengths={
            name: len(value) for name, value in values.items() if type(value) in (list, tuple)
        },
        streams=frozenset(of(lambda kind: defines(kind, "__next__"))),
        schedules={
            name: facts
            for name, value in of(_is_schedule).items()
            if (facts := _schedule(value, inspector)) is not None
        },
        accumulates=accumulates,
        loads=frozenset({*models, *optimizers}),
        entries={name: _plain(value) for name, value in values.items() if type(value) is dict},
        foreign=frozenset(n for n, value in values.items() if _is_foreign(value, of_modules)),
        trainer=trainer,
    )


def _plain(value: dict[Any, Any]) -> frozenset[str]:
    """Return the keys of numbers and texts, as of `{"epoch": 12, "model": …}`."""
    if len(value) > _MOST_ENTRIES:
        return frozenset()
    return frozenset(k for k, v in value.items() if type(k) is str and type(v) in _PLAIN)


def _is_foreign(value: Any, known: dict[str, bool]) -> bool:
    """Return whether a file of the user's own has defined a function, or an object's class.

    `known` says so of modules by name.
    """
    check_time()
    kind = type(value)
    if kind is ModuleType:
        return _has_own_file(value)
    if kind is FunctionType:
        named = value.__globals__.get("__name__")
    else:
        named = module_of(value if issubclass(kind, type) else kind)
    if type(named) is not str:
        return False
    if named not in known:
        known[named] = top_of(named) not in OURS and _has_own_file(sys.modules.get(named))
    return known[named]


def _has_own_file(module: Any) -> bool:
    file = vars(module).get("__file__") if type(module) is ModuleType else None
    return type(file) is str and kind_of_file(file) == "own"


def _parameters_of(optimizer: Mapping[str, Any]) -> set[int]:
    """Return the ids of the parameters that an optimizer with these attributes has."""
    groups, ids = optimizer.get("param_groups"), set[int]()
    for group in groups if type(groups) is list else ():
        given = group.get("params") if type(group) is dict else None
        ids.update(map(id, given if type(given) is list else ()))
    return ids


def _model(model: Any, inspector: Inspector, trained: Collection[int]) -> ModelFacts:
    check_time(every=1)
    torch = inspector.torch

    def own(part: Any) -> list[Any]:
        return [
            parameter
            for module in modules.parts(part, inspector.attributes)
            for parameter in modules.tensors_of(inspector.attributes(module), ("_parameters",))
        ]

    is_idle = bool(trained) and any(
        torch is not None and id(parameter) not in trained and torch.get(parameter, "requires_grad")
        for parameter in own(model)
    )
    children = modules.named_children(inspector.attributes(model)) if is_idle else []
    heads = [
        name for name, part in children if any(id(parameter) in trained for parameter in own(part))
    ]
    parts = modules.parts(model, inspector.attributes)
    is_on = any(inspector.attributes(part).get(flag) is True for part in parts for flag in _IS_ON)
    libraries = {top for top, _ in origins(type(model))}
    method = next(
        (
            method
            for library, method in _CHECKPOINTS
            if library in libraries and defines(type(model), method) and not is_on
        ),
        "",
    )
    classes = {str.__str__(name_of(base)) for part in parts for base in mro(type(part))}
    return ModelFacts(frozenset(classes), method, is_idle, tuple(heads))


def _is_schedule(kind: type) -> bool:
    return any(top == "torch" and name.endswith("LRScheduler") for top, name in origins(kind))


def _schedule(value: Any, inspector: Inspector) -> ScheduleFacts | None:
    """Return the number of steps that a schedule has been made for."""
    own = dict(inspector.attributes(value))
    functions = own.get("lr_lambdas")
    for function in functions if type(functions) is list else ():
        own |= function.keywords if type(function) is partial else {}
    for attribute in _SCHEDULES:
        steps = own.get(attribute)
        if type(steps) is int and steps > 1:
            return ScheduleFacts(attribute, steps)
    return None


def filled_attribute(
    path: str, names: Mapping[str, Any], calls: Collection[str], inspector: Inspector
) -> str:
    """Return the last attribute in the path of a group, if a method that is called fills it.

    As the bytecode of its owner's class has it. Else empty.
    """
    value: Any = names
    owner, attribute = value, ""
    for name, index in _STEP.findall(path):
        if index:
            is_long = type(value) in (list, tuple, deque) and len(value) > int(index)
            value = value[int(index)] if is_long else None
        else:
            owner, attribute = value, name
            is_class = is_kind(owner, type)
            own = namespace_of(owner) if is_class else inspector.attributes(owner)
            value = (names if owner is names else own).get(name)
    kind = owner if is_kind(owner, type) else type(owner)
    methods = (member for base in mro(kind) for member in items_of(namespace_of(base)))
    called = (method for name, method in methods if name in calls and name not in _OTHERS)
    return attribute if any(_fills(method, attribute) for method in called) else ""


def _fills(method: Any, attribute: str) -> bool:
    inner = method.__dict__.get("__wrapped__", method) if type(method) is FunctionType else None
    if type(inner) is not FunctionType:
        return False
    code = inner.__code__
    adds = opmap["STORE_SUBSCR"] in code.co_code[::2] or _GROWS.intersection(code.co_names)
    return attribute in code.co_names and bool(adds)
