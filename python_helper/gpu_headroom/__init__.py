"""GPU Headroom: the GPU memory of this kernel, live, explained and given back.

Importing starts nothing. In JupyterLab and Notebook the extension starts the helper;
elsewhere `%load_ext gpu_headroom` does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .protocol import ItemId
    from .session import Session
    from .wire import Item

__all__ = [
    "alive",
    "free",
    "free_traceback",
    "load_ipython_extension",
    "plan",
    "simulate",
    "start",
    "status",
    "stop",
    "unload_ipython_extension",
]


def start() -> None:
    """Start the helper in this kernel; does nothing where it lives already.

    Raises `RuntimeError` outside IPython and Jupyter.
    """
    _session_module().start()


def stop() -> None:
    """End the helper and leave the kernel as it was before."""
    _session_module().stop()


def alive() -> bool:
    """Whether the helper lives in this process."""
    return _session_module().current() is not None


def status() -> str:
    """Say in one line per GPU what is in use, cached, outside and free."""
    from .summary import summarise

    return summarise(_live().sampler.measure())


def plan() -> list[Item]:
    """List what can be freed without deleting a variable, with measured sizes in bytes."""
    from . import release

    return release.plan(_live().shell)


def free(items: Sequence[ItemId] | None = None) -> str:
    """Free `items` (`None`: the safe set) and say how much came back.

    What may be named: `traceback`, `outputs`, `garbage`, `cache`.
    """
    from . import release

    session = _live()
    return release.run(items, session.shell, session.sampler.measure).message["text"]


def free_traceback() -> str:
    """Free what the traceback of a failed cell holds; `%debug` for it is lost."""
    return free(["traceback"])


def simulate(*args: Any, **kwargs: Any) -> Any:
    """Simulate a GPU for PyTorch: `simulate("16 GiB")`; see `gpu_headroom.simulate`.

    Raises `RuntimeError` where the helper was brought by the extension: the simulator
    is in the installed package only.
    """
    try:
        simulator = import_module(".simulate", __name__)
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.simulate":
            raise
        raise RuntimeError(
            "The simulated GPU is not part of the helper that the extension brings: "
            "`pip install gpu-headroom` in this kernel's environment and restart the kernel."
        ) from None
    return simulator.simulate(*args, **kwargs)


def load_ipython_extension(shell: Any) -> None:
    """Start the helper and its magic: `%load_ext gpu_headroom`."""
    start()
    from . import magics

    magics.register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """End the helper: `%unload_ext gpu_headroom`."""
    from . import magics

    magics.unregister(shell)
    stop()


def _live() -> Session:
    session: Session = _session_module().start()
    return session


def _session_module() -> Any:
    # On first use, so that importing the package imports nothing else.
    return import_module(".session", __name__)
