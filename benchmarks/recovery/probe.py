"""What the benchmark sees inside of a kernel, without running a cell for it.

A cell, a silent one too, makes IPython forget the last result, and with it memory that a method
has to free. So the state after each cell is noted by a hook, and questions come as a comm.
Independent of GPU Headroom: it is the judge.
"""

from __future__ import annotations

import gc
import sys
import threading
import traceback
import types
from pathlib import Path
from typing import Any

TARGET = "gpu-headroom-recovery"
_SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
_start: set[str] = set()
_overhead: list[int] = []
_after: dict[str, Any] = {}
_traceback_id: list[int] = []


def begin() -> None:
    """Begin to note, and to answer; what is bound and in use now is the prelude's.

    What no variable holds of it is the framework's own, such as workspaces: no method gets that.
    """
    shell = _shell()
    _start.update(shell.user_ns)
    _overhead.append(in_use() - kept_bytes())
    shell.events.register("post_run_cell", _note)
    shell.kernel.comm_manager.register_target(TARGET, _answer)


def before() -> dict[str, Any]:
    """Return the state when the last cell of the scenario had ended."""
    _shell().events.unregister("post_run_cell", _note)
    return _after


def unneeded_bytes() -> int:
    """Return what is in use and neither the framework's nor held by the user's variables."""
    return in_use() - _overhead[0] - kept_bytes()


def in_use() -> int:
    """Return the bytes in live tensors."""
    used: int = sys.modules["torch"].cuda.memory_allocated()
    return used


def variables() -> dict[str, int]:
    """Return the identity of each value that has a name of the user's, modules left out."""
    shell = _shell()
    return {
        name: id(value)
        for name, value in shell.user_ns.items()
        if name not in shell.user_ns_hidden
        and not name.startswith("_")
        and type(value) is not types.ModuleType
    }


def new_variables() -> list[str]:
    """Return the names that the scenario's cells have bound."""
    return sorted(set(variables()) - _start)


def debuggable() -> bool:
    """Whether `%debug` opens the error of the scenario and finds variables in its frames."""
    step = _traceback()
    if id(step) not in _traceback_id:
        return False
    while step is not None:
        frame = step.tb_frame
        if frame.f_locals is not frame.f_globals and frame.f_locals:
            return True
        step = step.tb_next
    return False


def holds(expression: str) -> bool:
    """Whether an expression is true in the user's namespace; an error is a no."""
    try:
        return bool(eval(expression, _shell().user_ns))  # noqa: S307 — the scenario's own
    except Exception:  # noqa: BLE001
        return False


def kept_bytes() -> int:
    """Return the bytes of the CUDA tensors that the user's variables keep, as Python sees it.

    Tracebacks are not followed: of an error that the user kept, the frames are not the data.
    Suspended generators, running threads, gradients and autograd graphs are.
    """
    space = _shell().user_ns
    torch = sys.modules["torch"]
    # Kept alive: Python's view of a graph's node is new each time, and an id is used again.
    seen: dict[int, object] = {}
    storages: dict[int, int] = {}
    todo = [space[name] for name in variables()] + _of_modules() + _of_threads(space)
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        kinds = type(value).__mro__  # isinstance would ask the object itself
        if torch.Tensor in kinds and value.device.type == "cuda":
            storage = value.untyped_storage()
            storages[storage._cdata] = storage.nbytes()  # noqa: SLF001 — its identity
            todo += [value.grad, value.grad_fn]
        if hasattr(type(value), "next_functions"):
            todo += [node for node, _ in value.next_functions]
            todo.append(getattr(value, "variable", None))
        todo += _referents(value, kinds)
    return sum(storages.values())


def _referents(value: Any, kinds: tuple[type, ...]) -> list[object]:
    """Return what a value of the user's refers to, short of the rest of the program."""
    if kinds[0] is types.FunctionType:
        return [value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__]
    if kinds[0] in (types.TracebackType, types.FrameType) or types.ModuleType in kinds:
        return []
    if type in kinds and value.__module__ != "__main__":
        return []
    objects = gc.get_referents(value)
    if kinds[0] in _SUSPENDED:
        # Before Python 3.11 what is suspended refers to its frame, and only that to its variables.
        for frame in [item for item in objects if type(item) is types.FrameType]:
            spaces = (frame.f_globals, frame.f_builtins)
            inner = gc.get_referents(frame)
            objects += [item for item in inner if not any(item is space for space in spaces)]
    return objects


def _of_modules() -> list[object]:
    """Return what the modules hold that are files beside the notebook."""
    return [
        value
        for module in list(sys.modules.values())
        if type(module) is types.ModuleType
        and str(getattr(module, "__file__", None)).startswith(str(Path.cwd()))
        for value in vars(module).values()
    ]


def _of_threads(space: dict[str, Any]) -> list[object]:
    """Return what the notebook's functions hold that run in other threads."""
    stacks = sys._current_frames()  # noqa: SLF001 — the documented way to other threads' stacks
    stacks.pop(threading.main_thread().ident or 0)
    return [
        value
        for stack in stacks.values()
        for frame, _ in traceback.walk_stack(stack)
        if frame.f_globals is space
        for value in frame.f_locals.values()
    ]


def _note(_: object) -> None:
    _after["beyond_overhead_bytes"] = in_use() - _overhead[0]
    _after["variables"] = variables()
    last = _traceback()
    _traceback_id[:] = [] if last is None else [id(last)]
    _after["debuggable"] = last is not None


def _traceback() -> types.TracebackType | None:
    """Return what `%debug` opens; it does so only where Python remembers an error."""
    if not hasattr(sys, "last_traceback"):
        return None
    of_ipython: types.TracebackType | None = getattr(_shell().InteractiveTB, "tb", None)
    return of_ipython or sys.last_traceback


def _answer(comm: Any, message: Any) -> None:
    data = message["content"]["data"]
    comm.send({"answer": globals()[data["question"]](*data["arguments"])})


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()
