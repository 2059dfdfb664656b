"""Classification of an object: what it is, what it retains, and the memory behind it.

A walk with places (`walk.py`) and the reference graph of a release use the same inspector, so
they agree on what may lead to GPU memory.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frameworks.torch import private
from ..frameworks.torch.tensors import Torch
from ..inspection.classes import comes_from, compare_plainly
from . import arrays, containers, frames, modules, objects, suspended

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..concurrency.turns import Turn
    from ..frameworks.storage import Storage
    from .arrays import Arrays
    from .visit import Visit

_ATOMS = (
    *(str, int, float, complex, bool, bytes, bytearray, range, slice, property),
    *(type(None), types.EllipsisType, types.NotImplementedType, weakref.ref, weakref.ProxyType),
    *(types.ModuleType, types.CodeType, types.MappingProxyType, types.GetSetDescriptorType),
    *(types.MemberDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType),
)
_QUALNAME: Any = type.__dict__["__qualname__"]


class _Kind(NamedTuple):
    """Facts about a class, with the class itself, so that its `id` cannot be reused.

    `leads`: its objects may lead to GPU memory, and release it with the last reference to them.
    """

    kind: type
    visit: Visit | None
    framework: Arrays | None
    leads: bool
    is_class: bool


class Inspector:
    """Inspects objects for one walk, within its turn; no code of their classes is run.

    Gradients and graphs are skipped if the turn has no `reads_graphs`. Facts about classes are kept
    for one walk only: longer, they would keep a user's classes alive. `whole_blocks` gives each
    storage the size of its block, which may be larger than the request. `shows_saved`: this PyTorch
    shows what graphs have saved.
    """

    def __init__(self, turn: Turn, *, whole_blocks: bool = False) -> None:
        self.turn = turn
        self.reads_graphs = turn.reads_graphs
        self.shows_saved = private.shows_saved()
        self.torch = Torch.loaded(whole_blocks=whole_blocks)
        self.frameworks = arrays.loaded()
        if self.torch is not None:
            self.frameworks.insert(0, self.torch)
        self.plain_classes = compare_plainly()
        self._kinds: dict[int, _Kind] = {}
        self._layouts: dict[int, objects.Layout] = {}
        self._saved_names: dict[type, tuple[str, ...]] = {}

    def quiet(self) -> contextlib.AbstractContextManager[Any]:
        """Keep `__torch_function__` of subclasses from being run."""
        return self.torch.quiet() if self.torch is not None else contextlib.nullcontext()

    def visit_of(self, kind: type) -> Visit | None:
        """Return how objects of a class are looked into, `None` where they hold nothing."""
        return (self._kinds.get(id(kind)) or self._decide(kind)).visit

    def is_tensor(self, value: object) -> bool:
        """Whether an object is a tensor of PyTorch's."""
        return self.visit_of(type(value)) is arrays.visit_tensor

    def is_array(self, value: object) -> bool:
        """Whether an object is an array of any framework."""
        kind = type(value)
        return (self._kinds.get(id(kind)) or self._decide(kind)).framework is not None

    def is_module(self, value: object) -> bool:
        """Whether an object is a model of PyTorch's, or a part of one."""
        return self.visit_of(type(value)) is modules.visit

    def is_idle(self, value: object) -> bool:
        """Whether an array has nothing to do with a GPU, as those of a data set on the CPU."""
        if self.torch is not None and self.is_tensor(value):
            return self.graph_of(value) is None and not self.torch.on_gpu(value)
        return self.is_array(value) and not any(True for _ in self.storages(value))

    def may_go(self, value: object) -> bool:
        """Whether an object may lead to GPU memory and goes with the last reference to it.

        What lasts anyway, as classes outside of functions do, is not worth following.
        """
        kind = type(value)
        traits = self._kinds.get(id(kind)) or self._decide(kind)
        if not traits.leads or not gc.is_tracked(value):
            return False
        return not traits.is_class or "<locals>" in _QUALNAME.__get__(value)

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return what an object keeps in its `__dict__` and its slots."""
        kind = type(value)
        layout = self._layouts.get(id(kind))
        if layout is None:
            layout = self._layouts[id(kind)] = objects.layout_of(kind)
        return objects.attributes(value, layout)

    def storages(self, array: Any) -> Iterator[Storage]:
        """Yield the GPU memory behind an array; nothing for what is no array."""
        kind = type(array)
        framework = (self._kinds.get(id(kind)) or self._decide(kind)).framework
        if framework is not None:
            yield from framework.storages(array)

    def gradient_of(self, tensor: Any) -> Any:
        """Return the gradient of a tensor."""
        torch = self.torch
        return torch.gradient_of(tensor) if torch is not None and self.reads_graphs else None

    def graph_of(self, tensor: Any) -> Any:
        """Return the node of the autograd graph that a tensor came from."""
        torch = self.torch
        return torch.get(tensor, "grad_fn") if torch is not None and self.reads_graphs else None

    def references(self, arrays: list[Any]) -> list[tuple[int, int]]:
        """Return how many references arrays have beside this list, and how many are PyTorch's."""
        torch = self.torch
        own = [
            torch.kept_by_itself(array) if torch and self.is_tensor(array) else 0
            for array in arrays
        ]
        arrays.append(object())
        *counts, ours = map(sys.getrefcount, arrays)
        arrays.pop()
        return [(count - ours, referrer) for count, referrer in zip(counts, own, strict=True)]

    def may_save(self, node: Any) -> bool:
        """Whether nodes of this class save tensors for the backward pass."""
        return bool(self._names_saved_by(type(node)))

    def saved_by(self, node: Any) -> Iterator[Any]:
        """Yield what a node has saved for the backward pass, tensors and others, not unpacked.

        `_saved_…` would unpack, which runs hooks (checkpointing recomputes, offloading copies);
        `_raw_saved_….data` only looks. PyTorch up to 2.9 has no `data` (`shows_saved`).
        """
        for name in self._names_saved_by(type(node)):
            try:
                saved = getattr(node, name)
            except RuntimeError:
                continue  # freed by the backward pass
            for value in saved if isinstance(saved, (tuple, list)) else (saved,):
                try:
                    yield value.data
                except (AttributeError, RuntimeError):
                    continue
        yield from self.attributes(node).values()  # what a custom Function keeps

    def _names_saved_by(self, kind: type) -> tuple[str, ...]:
        if kind not in self._saved_names:
            names = [name for name in dir(kind) if name.startswith("_raw_saved_")]
            self._saved_names[kind] = tuple(names)
        return self._saved_names[kind]

    def _decide(self, kind: type) -> _Kind:
        own = (reader for reader in self.frameworks if comes_from(kind, *reader.kinds))
        framework, torch = next(own, None), self.torch
        ways = (suspended.visit_of, containers.visit_of, frames.visit_of, objects.visit_of)
        visit = next((visitor for way in ways if (visitor := way(kind)) is not None), None)
        if framework is not None:
            visit = arrays.visit if framework is not torch else arrays.visit_tensor
        elif torch is not None and comes_from(kind, torch.nn_module):
            visit = modules.visit
        elif torch is not None and comes_from(kind, torch.optimizer):
            visit = modules.visit_optimizer
        leads = not comes_from(kind, *_ATOMS) and not objects.is_machinery(kind)
        traits = _Kind(kind, visit, framework, leads, is_class=comes_from(kind, type))
        self._kinds[id(kind)] = traits
        return traits
