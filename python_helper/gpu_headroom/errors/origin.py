"""Whether an error comes from another process: what it says is then nothing of this one's GPU."""

from __future__ import annotations

from traceback import walk_tb
from typing import TYPE_CHECKING

from ..inspection.kinds import origins, top_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

_CLASSES = frozenset(
    {"RemoteTraceback", "_RemoteTraceback", "RemoteError", "CompositeError", "RayError"}
    | {"RayTaskError", "ProcessRaisedException", "ProcessExitedException"}
    | {"AlreadyDisplayedError", "ChildFailedError", "WorkerGroupError"}
)
_MODULES = frozenset({"distributed", "ray", "ipyparallel"})
_REBUILT = "__traceback_maker"  # in frames that `tblib` makes for another process's traceback


def is_named_elsewhere(errors: Iterable[BaseException]) -> bool:
    """Whether a class in a chain says so: of an error, or of what stands for its traceback."""
    return any(name in _CLASSES for error in errors for _, name in origins(type(error)))


def is_brought_here(error: BaseException) -> bool:
    """Whether the frames of an error are of who brought it here."""
    return any(is_brought(frame) for frame, _ in walk_tb(error.__traceback__))


def is_brought(frame: FrameType) -> bool:
    """Whether a step of a traceback is of who brings errors here, or was made anew."""
    # `exec` takes a dictionary of anybody's making.
    module = top_of(dict.get(frame.f_globals, "__name__"))
    return module in _MODULES or _REBUILT in frame.f_code.co_names
