"""GPU Headroom: the GPU memory of this kernel, live, explained and given back.

Importing starts nothing. In JupyterLab and Notebook the extension starts the helper;
elsewhere `%load_ext gpu_headroom` does.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .own import bring
from .simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .protocol.generated.wire import Item
    from .session.session import Session

# Python sets these names to a folder when it imports it first. Both are imported by now, so the
# functions keep their names, whatever of the helper is imported later.
bring(".holders")
bring(".workers")

__all__ = [
    "alive",
    "dry_run",
    "follow",
    "free",
    "free_traceback",
    "holders",
    "load_ipython_extension",
    "plan",
    "ray_environment",
    "report",
    "save_memory_snapshot",
    "show",
    "simulate",
    "start",
    "status",
    "stop",
    "unfollow",
    "unload_ipython_extension",
    "workers",
]


def start() -> None:
    """Start the helper in this kernel, unless it runs there already."""
    _session_module().start()


def stop() -> None:
    """End the helper and leave the kernel as it was before."""
    _session_module().stop()


def alive() -> bool:
    """Whether the helper runs in this process."""
    return _session_module().current() is not None


def status() -> str:
    """Return the memory in use, cached, used by others and free on each GPU, and of the host."""
    from .terminal import summary

    return summary.status()


def show(*, compact: bool = False, frontend: str | None = None) -> None:
    """Display a gauge, live in Google Colab: `compact` in one line.

    `frontend="colab"` is for Colab's page on a kernel of your own.
    """
    import_module(".frames.show", __name__).show(compact=compact, frontend=frontend)


def holders() -> str:
    """Return what uses GPU memory, largest first."""
    from .terminal import summary

    return summary.holders()


def save_memory_snapshot(path: str | None = None) -> str:
    """Write PyTorch's memory snapshot for https://pytorch.org/memory_viz to a new file."""
    from .frameworks.torch.memory_snapshot import export

    session = _session_module().current()
    return export(path, session and session.cuda.stopped).message["text"]


def plan() -> list[Item]:
    """List what can be freed, in bytes, and what one loses by it."""
    from .release import items

    session = _live()
    return items.plan(session.situation(session.turn()))


def free(items: Sequence[str] | None = None, confirm: Sequence[str] = ()) -> str:
    """Free `items` by their ids in the plan (`None`: the safe set) and say how much came back.

    What loses something, such as `variable:x`, has to be named in `confirm` as well: else this
    raises `ValueError`, with nothing freed.
    """
    from .handlers.release import tell
    from .release.outcome import run
    from .terminal import summary
    from .text.messages import say

    session = _live()
    if session.computes_elsewhere():
        return say("released.busy")
    situation, read = session.situation(session.turn()), session.sampler.measure
    outcome = run(items, situation, read, confirm)
    tell(session, outcome, str(time.time()))
    return summary.list_outcome(outcome)


def free_traceback() -> str:
    """Free what the traceback of a failed cell holds; `%debug` for it is lost."""
    return free(["traceback"])


def dry_run(*gpus: str, without_sandbox: bool = False) -> str:
    """Run the cells that ran on a simulated GPU, such as "T4", and say what they need.

    `without_sandbox`: also where nothing of the system holds them.
    """
    text: str = _later("gpu_dry_run.here").dry_run(_live(), gpus, unheld=without_sandbox)
    return text


def follow() -> str:
    """Measure the workers of this notebook: say what goes where."""
    text: str = _later(".workers.console").follow(_live())
    return text


def ray_environment() -> dict[str, Any]:
    """Return the `runtime_env` argument of `ray.init` with which Ray's workers are measured."""
    environment: dict[str, Any] = _later(".workers.console").ray_environment(_live())
    return environment


def unfollow() -> str:
    """Take back what `follow` put into workers."""
    text: str = _later(".workers.console").unfollow(_live())
    return text


def workers() -> str:
    """Return what workers use on each of their GPUs, the fullest first."""
    text: str = _later(".workers.console").summarise(_live())
    return text


def report() -> None:
    """Report this process to the notebook that started it: for spawned functions."""
    ranks = bring(".workers.own_rank")  # in the wheel only
    if ranks is not None:
        ranks.report()


def load_ipython_extension(shell: Any) -> None:
    """Start the helper and its magic: `%load_ext gpu_headroom`."""
    start()
    from .terminal import magics

    magics.register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """End the helper: `%unload_ext gpu_headroom`."""
    from .terminal import magics

    magics.unregister(shell)
    stop()


def _live() -> Session:
    session: Session = _session_module().start()
    return session


def _later(name: str) -> Any:
    """Return what a page brings on first need."""
    for _ in range(30):
        module = bring(name)
        if module is not None:
            return module
        time.sleep(0.1)
    raise RuntimeError("No page has brought what this needs: `pip install gpu-headroom`.")


def _session_module() -> Any:
    # On first use, so that importing the package imports nothing else.
    return import_module(".session", __name__)
