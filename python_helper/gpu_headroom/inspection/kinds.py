"""What a foreign object is, without asking it."""

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
    """Return whether the type of `value` is `kind` or comes from it.

    `isinstance` would also ask the object for its `__class__`, which may be a property: a
    lazy proxy would wake up.
    """
    return issubclass(type(value), kind)


def name_of(kind: type) -> str:
    """Return the name of a class, without asking its metaclass."""
    name: str = _NAME.__get__(kind)
    return name


def module_of(kind: type) -> str:
    """Return the module that a class says it is from."""
    module = _MODULE.__get__(kind)
    return module if type(module) is str else ""


def mro(kind: type) -> tuple[type, ...]:
    """Return the classes that `kind` inherits from, itself first."""
    classes: tuple[type, ...] = _MRO.__get__(kind)
    return classes


def args_of(error: BaseException) -> tuple[Any, ...]:
    """Return what an error was made with, without asking it: a class may have a property there."""
    args: tuple[Any, ...] = _ARGS.__get__(error)
    return args


def origins(kind: type) -> list[tuple[str, str]]:
    """Return the top module and the name of a class, then of those it comes from."""
    return [(top_of(module_of(base)), name_of(base)) for base in mro(kind)]


def top_of(module: object) -> str:
    """Return "torch" of "torch.cuda", and nothing of what is no name."""
    return str.partition(module, ".")[0] if is_kind(module, str) else ""
