"""Numbers that were not computed: they behave like any other, and are marked as unknown.

The mark is lost where Python itself makes a plain number of one: in `int(x)`, `float(x)`, and in
C functions that take plain numbers.
"""

from __future__ import annotations

import builtins
import pickle
from functools import wraps
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .tracebacks import PersonLine, line_of_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from .patches import Patches


class ReadAt(NamedTuple):
    """Position where a number was read; two with the same `point` have a known difference."""

    line: PersonLine | None
    point: object


class _Unknown:
    """Base of both kinds: a copy is the same object, and a saved one is a `plain` number."""

    origin: ReadAt
    plain: type

    def __reduce_ex__(self, _protocol: Any) -> Any:
        return self.plain, (self.plain(self),)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _memo: Any) -> Any:
        return self


class UnknownInt(_Unknown, int):
    """A whole number whose value is not known; it counts as the one that it is made of."""

    plain = int


class UnknownFloat(_Unknown, float):
    """A number whose value is not known, as above."""

    plain = float


KINDS = (UnknownInt, UnknownFloat)
_KINDS: dict[type, Any] = {int: UnknownInt, float: UnknownFloat}
_IN_LISTS = (list, tuple)


def read(value: Any) -> Any:
    """Return `value`, a number or nested lists of them that a person reads now, as unknown."""
    if type(value) not in (int, float, list):
        return value
    line = line_of_person()

    def each(value: Any) -> Any:
        if isinstance(value, list):
            return [each(item) for item in value]
        return made_of(value, ReadAt(line, object()))

    return each(value)


def unknown_in(values: Any) -> Any:
    """Return the first unknown number among `values`, through lists and tuples, if there is one."""
    for value in values:
        kind = type(value)
        if kind in KINDS:
            return value
        if isinstance(value, _IN_LISTS):
            found = unknown_in(value)
            if found is not None:
                return found
    return None


def put_unknown(patches: Patches) -> None:
    """Patch `max` and `min` to return an unknown number if one of the numbers is unknown.

    In checkpoints the numbers are plain: PyTorch loads neither other types nor functions for them.
    """
    for name in ("max", "min"):
        patches.put(builtins, name, _choosing(getattr(builtins, name)))
    for name in ("_save", "_legacy_save"):
        patches.put(torch.serialization, name, _saving(getattr(torch.serialization, name)))


_Pickler: Any = vars(pickle)["_Pickler"]


class _PlainPickler(_Pickler):  # type: ignore[misc]  # as above
    dispatch = {  # noqa: RUF012 -- as pickle has it
        **_Pickler.dispatch,
        UnknownInt: lambda pickler, number: pickler.save(int(number)),
        UnknownFloat: lambda pickler, number: pickler.save(float(number)),
    }


def _saving(save: Callable[..., Any]) -> Callable[..., Any]:
    plain = SimpleNamespace(**{**vars(pickle), "Pickler": _PlainPickler})

    def call(value: Any, file: Any, module: Any, *options: Any) -> Any:
        return save(value, file, plain if module is pickle else module, *options)

    return call


def _choosing(choose: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(choose)
    def chosen(*values: Any, **options: Any) -> Any:
        result = choose(*values, **options)
        if type(result) in (int, float):
            among = values[0] if len(values) == 1 else values
            unknown = unknown_in(among) if isinstance(among, _IN_LISTS) else None
            if unknown is not None:
                return made_of(result, ReadAt(unknown.origin.line, object()))
        return result

    return chosen


def made_of(value: Any, origin: ReadAt) -> Any:
    """Return what an operation has made of a number, as unknown if it is a number too."""
    if type(value) is tuple:
        return tuple([made_of(each, origin) for each in value])
    kind = _KINDS.get(type(value))
    if kind is None:
        return value
    made = kind(value)
    made.origin = origin
    return made


def _operator(base: Any, name: str) -> Callable[..., Any]:
    """Return the operator `name` of `base`, with an unknown result for an unknown operand."""
    operate, of_floats = getattr(base, name), getattr(float, name, None)

    def method(self: Any, *others: Any) -> Any:
        try:
            result = operate(self, *others)
            if result is NotImplemented and of_floats and isinstance(others[0], float):
                result = of_floats(float(self), *others)
        except ZeroDivisionError:
            # An unknown divisor need not be zero.
            if not name.startswith(_DIVIDE_BY_SELF) and type(others[0]) not in KINDS:
                raise
            result = operate(base(1), *[1 if type(each) in KINDS else each for each in others])
        is_near = name in _MOVING and type(others[0]) is int
        point = self.origin.point if is_near else object()
        return made_of(result, ReadAt(self.origin.line, point))

    return method


_SIGNS = ("neg", "pos", "abs", "round", "floor", "ceil", "trunc", "invert")
_PAIRS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow")
_BITS = ("and", "or", "xor", "lshift", "rshift")
_OPERATORS = [f"__{name}__" for name in (*_SIGNS, *_PAIRS, *_BITS)]
_OPERATORS += [f"__r{name}__" for name in (*_PAIRS, *_BITS)]
_MOVING = ("__add__", "__radd__", "__sub__")
"""After these with a plain whole number the difference is known."""
_DIVIDE_BY_SELF = ("__r", "__pow__")

for _base, _kind in _KINDS.items():
    for _name in _OPERATORS:
        if hasattr(_base, _name):
            setattr(_kind, _name, _operator(_base, _name))
