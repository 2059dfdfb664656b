"""Check of whether an error comes from another process, and so not from this one's GPU."""

from __future__ import annotations

from traceback import walk_tb
from typing import TYPE_CHECKING

from ..inspection.kinds import top_of
from .remote import carrier

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from .remote import Engine

_MODULES: dict[str, Engine] = {"distributed": "dask", "ray": "ray", "ipyparallel": "ipyparallel"}
_REBUILT = "__traceback_maker"  # in frames that `tblib` makes for another process's traceback


def named_by(errors: Iterable[BaseException]) -> Engine | None:
    """Return the engine that raised an error for a remote process, by classes in its chain.

    `None` if no class shows one. A failed command is no evidence for the errors that followed it.
    """
    engines = [engine for error in errors if (engine := carrier(error)) not in {None, "command"}]
    return next(iter(engines), None)


def brought_by(error: BaseException) -> Engine | None:
    """Return who brought an error here by its frames; `None` where these are of this process."""
    return next(filter(None, (of_frame(frame) for frame, _ in walk_tb(error.__traceback__))), None)


def of_frame(frame: FrameType) -> Engine | None:
    """Return the engine whose frame re-raises or rebuilds remote errors; `None` for others."""
    # `exec` takes a dictionary of anybody's making.
    module = top_of(dict.get(frame.f_globals, "__name__"))
    rebuilt: Engine | None = "process" if _REBUILT in frame.f_code.co_names else None
    return _MODULES.get(module, rebuilt)
