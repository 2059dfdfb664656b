"""Type, name and module of foreign objects, read past their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing import TypeGuard

    Kind = TypeVar("Kind")


_NAME: Any = type.__dict__["__name__"]
_MODULE: Any = type.__dict__["__module__"]
_MRO: Any = type.__dict__["__mro__"]
_ARGS: Any = vars(BaseException)["args"]


def is_kind(value: object, kind: type[Kind]) -> TypeGuard[Kind]:
    """Return whether the type of `value` is `kind` or a subclass of it.

    `isinstance` also reads the object's `__class__`, which may be a property that loads a
    lazy proxy.
    """
    return issubclass(type(value), kind)


def name_of(kind: type) -> str:
    """Return the name of a class, past its metaclass."""
    name: str = _NAME.__get__(kind)
    return name


def module_of(kind: type) -> str:
    """Return the `__module__` of a class."""
    module = _MODULE.__get__(kind)
    return module if type(module) is str else ""


def mro(kind: type) -> tuple[type, ...]:
    """Return the classes that `kind` inherits from, itself first."""
    classes: tuple[type, ...] = _MRO.__get__(kind)
    return classes


def args_of(error: BaseException) -> tuple[Any, ...]:
    """Return the `args` of an error, past a property of that name in its class."""
    args: tuple[Any, ...] = _ARGS.__get__(error)
    return args


def origins(kind: type) -> list[tuple[str, str]]:
    """Return the top-level module and name of a class, then of its base classes."""
    return [(top_of(module_of(base)), name_of(base)) for base in mro(kind)]


def top_of(module: object) -> str:
    """Return "torch" for "torch.cuda", and "" for anything but a string."""
    return str.partition(module, ".")[0] if is_kind(module, str) else ""
