"""What differs between two runs of a program, by name.

Numbers are the same if they differ by rounding only: a sum in another order, one batch in parts.
"""

from __future__ import annotations

import math
import re
import sys
from collections import deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from benchmarks.edits.trial import Outcome

_EXACT = (bool, int, str, bytes, type(None), Enum, PurePath, torch.dtype, torch.device, torch.Size)
_RELATIVE = {
    torch.float64: 1e-9,
    torch.complex128: 1e-9,
    torch.float32: 1e-5,
    torch.complex64: 1e-5,
}
_RELATIVE_OF_HALVES = 1e-2
# A gradient that is rounding and nothing else, as of a bias before a batch normalisation, becomes a
# thousand times as large in Adam.
_ABSOLUTE = {torch.float64: 1e-8, torch.float32: 1e-6}
_ABSOLUTE_OF_OTHERS = 1e-5
# What the runner itself puts into a namespace.
_OURS = frozenset({"get_ipython", "display"})
_DEPTH = 25
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
# What an object of a library keeps for itself and makes anew when it is asked.
_HIDDEN = frozenset({"_iterator", "_base_iterator", "__initialized"})
# Executors, locks, files and the like; containers are looked into all the same.
_WITHOUT_RESULTS = frozenset({*sys.stdlib_module_names, "tqdm"}) - {"__main__", "types"}
_OF_MODULE = frozenset(vars(nn.Module()))


def differences(
    before: Outcome,
    after: Outcome,
    changes: Iterable[str] = (),
    *,
    gradients: bool = True,
    devices: bool = True,
) -> list[str]:
    """Return what differs of the results of two runs, without the names in `changes`.

    Without `devices` it does not matter where a tensor is.
    """
    if after.failed:
        return [f"fails: {after.failed}"]
    left = set(changes)
    compared = _Compared(before, gradients=gradients, devices=devices)
    own = (before.namespace.keys() | after.namespace.keys()) - left - _OURS
    found = []
    for name in sorted(each for each in own if not each.startswith("__")):
        if name not in before.namespace or name not in after.namespace:
            found.append(f"{name}: {'gone' if name in before.namespace else 'new'}")
            continue
        found += compared.of(name, before.namespace[name], after.namespace[name])
    for name, state in before.state.items():
        found += compared.of(name, state, after.state[name])
    if "printed" not in left and not _printed_alike(before.printed, after.printed):
        found.append("printed")
    return found


def finite_and_close(
    before: Outcome, after: Outcome, changes: Iterable[str] = (), relative: float = 0.1
) -> list[str]:
    """Return what is not finite or far off: where numbers are promised to be close, no more."""
    found = differences(before, after, {*changes, "printed"}, gradients=False)
    if after.failed:
        return found
    loose = _Compared(before, gradients=False, relative=relative)
    names = {re.split(r"[.\[:]", each)[0] for each in found} & before.namespace.keys()
    there = [name for name in sorted(names) if name in after.namespace]
    lost = [f"{name}: gone" for name in sorted(names) if name not in after.namespace]
    return lost + [
        each
        for name in there
        for each in loose.of(name, before.namespace[name], after.namespace[name])
    ]


class _Compared:
    """Compares two graphs of objects, each pair once."""

    def __init__(
        self,
        before: Outcome,
        *,
        gradients: bool,
        relative: float | None = None,
        devices: bool = True,
    ) -> None:
        self._gradients = gradients
        self._devices = devices
        self._relative = relative
        # A number of a program is as exact as the tensors that it came out of.
        self._precision = before.state["the default dtype"]
        self._seen: set[tuple[int, int]] = set()

    def of(self, name: str, a: Any, b: Any, depth: int = 0) -> Iterator[str]:
        """Yield the paths of what differs between two values."""
        pair = (id(a), id(b))
        if a is b or depth > _DEPTH or pair in self._seen:
            return
        if isinstance(a, (bool, int, float)) and isinstance(b, (bool, int, float)):
            if not self._number(a, b):
                yield f"{name}: {a} became {b}"
            return
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            yield from self._tensor(name, a, b)
            return
        if type(a).__qualname__ != type(b).__qualname__:
            yield f"{name}: {type(a).__name__} became {type(b).__name__}"
            return
        if isinstance(a, (*_EXACT, complex)):
            if a != b:
                yield f"{name}: {str(a)[:40]!r} became {str(b)[:40]!r}"
            return
        self._seen.add(pair)
        yield from self._parts(name, a, b, depth + 1)

    def _parts(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        for kinds, compare in self._ways():
            if isinstance(a, kinds):
                yield from compare(name, a, b, depth)
                return
        if type(a).__module__.partition(".")[0] in _WITHOUT_RESULTS:
            return
        state = getattr(a, "state_dict", None)
        if callable(state):
            yield from self.of(f"{name}.state_dict()", state(), b.state_dict(), depth)
            return
        yield from self._fields(name, vars_of(a), vars_of(b), depth)

    def _ways(self) -> list[tuple[Any, Callable[[str, Any, Any, int], Iterator[str]]]]:
        return [
            (ModuleType, lambda *_: iter(())),
            (BuiltinFunctionType, lambda *_: iter(())),
            (type, self._class),
            (FunctionType, self._function),
            (MethodType, lambda n, a, b, d: self.of(n, a.__self__, b.__self__, d)),
            (nn.Module, self._module),
            (torch.Generator, lambda n, a, b, _: self._tensor(n, a.get_state(), b.get_state())),
            (np.ndarray, self._array),
            (np.generic, lambda n, a, b, d: self.of(n, a.item(), b.item(), d)),
            (np.random.Generator, self._generator),
            (Mapping, self._mapping),
            (AbstractSet, self._set),
            ((list, tuple, deque), self._sequence),
        ]

    def _number(self, a: float, b: float) -> bool:
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        relative = self._relative or _RELATIVE.get(self._precision, _RELATIVE_OF_HALVES)
        if self._relative and not math.isfinite(b):
            return not math.isfinite(a)
        least = self._relative or _ABSOLUTE.get(self._precision, _ABSOLUTE_OF_OTHERS)
        is_nan = math.isnan(a) and math.isnan(b)
        return is_nan or math.isclose(a, b, rel_tol=relative, abs_tol=least)

    def _tensor(self, name: str, a: torch.Tensor, b: torch.Tensor) -> Iterator[str]:
        if a.shape != b.shape or (a.dtype != b.dtype and self._relative is None):
            yield f"{name}: {a.dtype} {list(a.shape)} became {b.dtype} {list(b.shape)}"
            return
        if a.device != b.device and self._devices:
            yield f"{name}: {a.device} became {b.device}"
            return
        if a.layout != torch.strided:
            a, b = a.to_dense(), b.to_dense()
        if not self._close(a.detach(), b.detach().to(a.device)):
            yield f"{name}: values differ"
        if not (a.is_leaf and b.is_leaf):
            return
        if isinstance(a, nn.Parameter) and a.requires_grad != b.requires_grad:
            yield f"{name}.requires_grad: {a.requires_grad} became {b.requires_grad}"
        if self._gradients and (a.grad is None) != (b.grad is None):
            yield f"{name}.grad: {'is new' if a.grad is None else 'is gone'}"
        elif self._gradients and a.grad is not None and b.grad is not None:
            yield from self._tensor(f"{name}.grad", a.grad, b.grad)

    def _close(self, a: torch.Tensor, b: torch.Tensor) -> bool:
        if not (a.is_floating_point() or a.is_complex()):
            return torch.equal(a, b)
        if self._relative is not None:
            a, b = a.double(), b.double()
            if not bool(b.isfinite().all()):
                return bool((a.isfinite() <= b.isfinite()).all())
            scale = float(a.abs().max()) if a.numel() else 0.0
            return torch.allclose(a, b, self._relative, self._relative * max(scale, 1.0))
        relative = _RELATIVE.get(a.dtype, _RELATIVE_OF_HALVES)
        absolute = _ABSOLUTE.get(a.dtype, _ABSOLUTE_OF_OTHERS)
        return torch.allclose(a, b, relative, absolute, equal_nan=True)

    def _module(self, name: str, a: nn.Module, b: nn.Module, depth: int) -> Iterator[str]:
        if a.training != b.training:
            yield f"{name}.training: {a.training} became {b.training}"
        for part in ("_parameters", "_buffers", "_modules"):
            yield from self._mapping(name, getattr(a, part), getattr(b, part), depth)
        one, other = ({k: v for k, v in vars(x).items() if k not in _OF_MODULE} for x in (a, b))
        yield from self._fields(name, one, other, depth)

    def _class(self, name: str, a: type, b: type, depth: int) -> Iterator[str]:
        if a.__module__ == b.__module__ == "__main__":
            one, other = (
                {k: v for k, v in vars(x).items() if not k.startswith("__")} for x in (a, b)
            )
            yield from self._fields(name, one, other, depth)

    def _function(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        kept = [dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)) for f in (a, b)]
        for key in kept[0].keys() & kept[1].keys():
            try:
                values = [each[key].cell_contents for each in kept]
            except ValueError:  # a cell that is empty by now
                continue
            yield from self.of(f"{name}.<closure>.{key}", values[0], values[1], depth)

    def _generator(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        yield from self.of(name, a.bit_generator.state, b.bit_generator.state, depth)

    def _array(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        if a.dtype.kind in "fciub" and a.dtype == b.dtype:
            yield from self._tensor(name, torch.from_numpy(a.copy()), torch.from_numpy(b.copy()))
        elif a.dtype != b.dtype and self._relative is None:
            yield f"{name}: {a.dtype} became {b.dtype}"
        else:
            yield from self.of(name, a.tolist(), b.tolist(), depth)

    def _fields(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        one, other = ({k: v for k, v in x.items() if k not in _HIDDEN} for x in (a, b))
        yield from self._mapping(name, one, other, depth)

    def _mapping(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        # Keys may be tensors or objects, which are told apart by nothing: then their order counts.
        a, b = dict(a.items()), dict(b.items())
        plain = all(isinstance(key, _EXACT) for key in (*a, *b))
        if plain and a.keys() != b.keys():
            yield f"{name}: other keys {sorted(map(str, a.keys() ^ b.keys()))[:4]}"
            return
        if len(a) != len(b):
            yield f"{name}: {len(a)} entries became {len(b)}"
            return
        pairs = (
            [(k, a[k], b[k]) for k in a] if plain else zip(a, a.values(), b.values(), strict=True)
        )
        for key, one, other in pairs:
            label = key if isinstance(key, (str, int)) else type(key).__name__
            yield from self.of(f"{name}.{label}", one, other, depth)

    def _set(self, name: str, a: Any, b: Any, _: int) -> Iterator[str]:
        if len(a) != len(b) or (all(isinstance(each, _EXACT) for each in a) and a != b):
            yield f"{name}: another set"

    def _sequence(self, name: str, a: Any, b: Any, depth: int) -> Iterator[str]:
        if len(a) != len(b):
            yield f"{name}: {len(a)} elements became {len(b)}"
            return
        for n, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from self.of(f"{name}[{n}]", one, other, depth)


def vars_of(value: Any) -> dict[str, Any]:
    """Return the fields of an object that is no framework's, those in slots too."""
    found = dict(getattr(value, "__dict__", {}))
    for each in type(value).__mro__:
        slots = each.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, slot):
                found[slot] = getattr(value, slot)
    return found


def _printed_alike(a: str, b: str) -> bool:
    if a == b:
        return True
    if _NUMBER.sub("#", a) != _NUMBER.sub("#", b):
        return False
    return all(map(_shown_alike, _NUMBER.findall(a), _NUMBER.findall(b)))


def _shown_alike(a: str, b: str) -> bool:
    if a == b:
        return True
    if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
        return False
    mantissa, _, exponent = a.lower().partition("e")
    last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return math.isclose(float(a), float(b), rel_tol=1e-5, abs_tol=1.01 * last_digit)
