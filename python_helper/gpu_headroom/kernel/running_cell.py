"""The running cell, found by the means of each version of IPython and ipykernel."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_RUNNERS = {"run_cell", "run_cell_async", "do_execute"}
_RUNNER_FILES = ("interactiveshell.py", "ipkernel.py")
_CELL_IDS: list[tuple[str, ...]] = [("cellId",)]
_LONGEST = 10**6  # characters of a source; its name is a hash of all of them


def parent(shell: Any) -> Mapping[str, Any]:
    """Return the current request of the shell channel, else its last one."""
    get_parent = getattr(getattr(shell, "kernel", None), "get_parent", None)
    request: Mapping[str, Any] = (get_parent("shell") if get_parent is not None else None) or {}
    return request


def read_cell_id_from(path: tuple[str, ...]) -> None:
    """Add a path in the metadata of requests at which the id of a cell may be."""
    if path not in _CELL_IDS:
        _CELL_IDS.append(path)


def cell_id(shell: Any, info: object = None) -> str | None:
    """Return the notebook's id of the running cell; `None` where it is unknown.

    The front end puts it into the request's metadata; IPython passes it on only since 8.0 with some
    kernels, and not in nested runs.
    """
    identity = cell_id_of(parent(shell)) or getattr(info, "cell_id", None)
    return identity if isinstance(identity, str) else None


def cell_id_of(request: Mapping[str, Any]) -> str | None:
    """Return the notebook's id of the cell that a request executes; `None` without one."""
    for path in _CELL_IDS:
        value: Any = request.get("metadata")
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return None


def execution_count(shell: Any, info: object, expected: int) -> int | None:
    """Return the execution count of the starting cell; `None` where it cannot be verified.

    IPython increments it before the cell starts since 9.0, and after its end before that.
    `expected` is the count between cells.
    """
    if not getattr(info, "store_history", False):
        return None
    return expected if shell.execution_count - expected in {0, 1} else None


def on_control_thread(shell: Any) -> bool:
    """Whether the caller runs on the kernel's control thread."""
    control = getattr(getattr(shell, "kernel", None), "control_thread", None)
    return control is not None and threading.current_thread() is control


def on_main_thread() -> bool:
    """Whether the caller runs on the main thread, where cells outside subshells run."""
    return threading.current_thread() is threading.main_thread()


def running_request(shell: Any) -> Mapping[str, Any] | None:
    """Return the execute request whose cell is running, `None` without one.

    For a helper that is loaded while a cell runs. The last request alone is no evidence, as it may
    have ended.
    """
    request = parent(shell)
    content = request.get("content") or {}
    kind = (request.get("header") or {}).get("msg_type")
    if kind != "execute_request" or content.get("silent"):
        return None
    return request if runs_cell(shell) else None


def runs_cell(shell: Any, thread_id: int | None = None) -> bool:
    """Whether a cell runs or awaits on a thread, by default the main one."""
    ident = threading.main_thread().ident if thread_id is None else thread_id
    return _on_stack(ident or 0) or _awaits(_loop_of(shell, ident or 0))


def computes(shell: Any) -> bool:
    """Whether a cell runs on the main thread or in a subshell."""
    control = getattr(getattr(shell, "kernel", None), "control_thread", None)
    threads = [thread for thread in threading.enumerate() if thread is not control]
    return any(runs_cell(shell, thread.ident or 0) for thread in threads if _runs_cells(thread))


def file_of(error: BaseException) -> str | None:
    """Return the file name of the cell that raised this error; `None` if no cell did."""
    step = error.__traceback__
    if step is None or step.tb_next is None or step.tb_frame.f_code.co_name != "run_code":
        return None
    return step.tb_next.tb_frame.f_code.co_filename


def code_name(shell: Any, source: str, execution_count: int | None) -> str | None:
    """Return the file name of a cell in tracebacks; `None` where it cannot be computed."""
    naming = getattr(shell.compile, "get_code_name", None)
    if naming is None or len(source) > _LONGEST:
        return None
    try:
        # Kernels name a cell by its source, terminals by the transformed source and its number.
        transformed = source if hasattr(shell, "kernel") else shell.transform_cell(source)
        return str(naming(source, transformed, execution_count))
    except Exception:  # noqa: BLE001  a source that cannot be transformed has no name
        return None


def _runs_cells(thread: threading.Thread) -> bool:
    """Whether a thread may run cells: the main one, or an ipykernel thread with a loop."""
    return thread is threading.main_thread() or hasattr(thread, "io_loop")


def _on_stack(thread_id: int) -> bool:
    # The dict is not kept in a variable: this frame is in it, and a cycle would keep the user's
    # frames alive.
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001  documented, in spite of its name
    while frame is not None:
        code = frame.f_code
        if code.co_name in _RUNNERS and code.co_filename.endswith(_RUNNER_FILES):
            return True
        frame = frame.f_back
    return False


def _loop_of(shell: Any, thread_id: int) -> Any:
    """Return the event loop in which cells of a thread await."""
    owner: Any = getattr(shell, "kernel", None)
    if thread_id != threading.main_thread().ident:
        owner = next(
            (thread for thread in threading.enumerate() if thread.ident == thread_id), None
        )
    return getattr(getattr(owner, "io_loop", None), "asyncio_loop", None)


def _awaits(loop: Any) -> bool:
    """Whether a task of this loop awaits the coroutine of a cell."""
    tasks = [] if loop is None else list(asyncio.all_tasks(loop))
    return any(_awaits_cell(task.get_coro()) for task in tasks)


def _awaits_cell(coroutine: Any) -> bool:
    while coroutine is not None:
        if getattr(coroutine, "__name__", None) in _RUNNERS:
            return True
        coroutine = getattr(coroutine, "cr_await", None)
    return False
