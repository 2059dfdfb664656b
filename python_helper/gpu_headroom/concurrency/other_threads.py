"""Activity of the other threads of this process: one may be training at the moment.

Reading gradients, saved tensors and graphs while native code of another thread writes them corrupts
memory. Holding the GIL does not exclude that, as PyTorch releases it while it computes. But a
thread inside native code keeps its Python frames, and these show where it is.
"""

from __future__ import annotations

import asyncio
import dis
import os
import sys
import sysconfig
import threading
import time
import types
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import normcase
from traceback import walk_stack
from typing import TYPE_CHECKING, Any

from ..frameworks.registry import FRAMEWORKS
from ..own import OURS
from .threads import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType, FrameType
    from typing import Literal

    Kind = Literal["framework", "service", "kernel", "standard", "library", "own"]
    Doing = Literal["inside", "waiting"] | None

_FRAMEWORKS = frozenset([name for folder in FRAMEWORKS for name in folder.PACKAGES])
# Loops of frameworks that wait for data, which they create outside any graph, or for processes
# that they have started.
_SERVICES = (
    "torch.utils.data._utils.pin_memory",
    "torch.multiprocessing",
    "torch.distributed.elastic",
    "torch.distributed.launcher",
    "torch._inductor.compile_worker",
)
_KERNEL = frozenset(
    {
        *("IPython", "ipykernel", "zmq", "tornado", "traitlets", "jupyter_client", "comm"),
        *("debugpy", "_pydevd_bundle", "_pydev_bundle", "pydevd", "psutil", *OURS),
    }
)
_STANDARD = (normcase(sysconfig.get_path("stdlib")) + os.sep, "<frozen")
_INSTALLED = ("site-packages", "dist-packages")
_MOST_NAMED = 3
_TELLS_MODULE: dict[type, Callable[[Any], object]] = {
    types.ModuleType: lambda module: vars(module).get("__name__"),
    types.FunctionType: lambda function: function.__module__,
    type: type.__dict__["__module__"].__get__,
}
_HELD_S = 0.3


@dataclass(frozen=True, slots=True)
class Company:
    """Names of the user's threads and tasks other than the calling thread.

    `inside` are those that are, or may be, inside a framework; `waiting` are all others.
    """

    inside: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def there(self) -> bool:
        """Whether there is any such thread or task, which could run at any moment."""
        return bool(self.inside or self.waiting)


def look(loops: Iterable[Any] = (), *, own: bool = True) -> Company:
    """Classify every other thread, and the tasks that await in these event loops, by their frames.

    With `own`, the calling thread counts as `inside` where it was called inside a framework.
    """
    names: dict[Doing, list[str]] = {"inside": [], "waiting": []}
    threads = {running.ident: running for running in threading.enumerate()}
    # Remove each frame as it is read: this function's own is among them, and a cycle through it
    # would keep the user's frames alive.
    frames = sys._current_frames()  # noqa: SLF001 — the documented way to other threads' stacks
    while frames:
        ident = next(iter(frames))
        thread = threads.get(ident)
        name = "" if thread is None else thread.name
        if ident == threading.get_ident():
            names["inside"] += [name] * (own & ("framework" in _kinds(frames.pop(ident))))
        else:
            names.setdefault(_doing(thread, frames.pop(ident)), []).append(name)
    for loop in loops:
        for task in _tasks(loop):
            names.setdefault(_awaiting(task.get_coro()), []).append(task.get_name())
    inside, waiting = names["inside"], names["waiting"]
    return Company(tuple(inside[:_MOST_NAMED]), tuple(waiting[:_MOST_NAMED]))


@contextmanager
def kept_out() -> Iterator[None]:
    """Prevent other threads from running Python, for at least a quarter of a second.

    Raises the switch interval. A thread that waits for the GIL requests it once per switch
    interval, and one that began to wait before still does so within the usual interval, so wait for
    that first.
    """
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(_HELD_S)
    try:
        end_s = time.perf_counter() + 1.2 * usual_s
        while time.perf_counter() < end_s:
            pass
        yield
    finally:
        sys.setswitchinterval(usual_s)


def _doing(thread: threading.Thread | None, top: FrameType) -> Doing:
    """Return what a thread is doing; `None` for one that cannot use the user's tensors."""
    kinds = _kinds(top)
    if is_ours(thread) or _is_kernels(thread, kinds):
        return None
    begun = [kind for kind in kinds if kind != "standard"][-1:]
    if begun == ["service"]:  # regardless of the functions that it calls
        return None
    if "framework" in kinds:
        return "inside"
    if "own" in kinds or ("library" in kinds and _knows_frameworks(top)):
        # C functions have no frames: find them by the call instruction.
        computes = kinds[0] in ("own", "library") and not _calls_standard_library(top)
        return "inside" if computes else "waiting"
    served = type(thread) is threading.Timer or any(map(_awaiting, _coroutines(top)))
    return "waiting" if served else None


def _coroutines(top: FrameType) -> Iterator[Any]:
    """Yield the coroutines of the event loop that a thread runs; none in an idle library's loop."""
    for frame, _ in walk_stack(top):
        if frame.f_code.co_name == "run_forever" and _root(frame) == "asyncio":
            yield from [task.get_coro() for task in _tasks(frame.f_locals.get("self"))]


def _is_kernels(thread: threading.Thread | None, kinds: list[Kind]) -> bool:
    """Whether a thread is the kernel's, and runs no code of the user's.

    The main thread qualifies where it is inside the helper's code and continues after that. A
    subshell that begins a cell waits in the helper's hook.
    """
    rest = [kind for kind in kinds if kind != "standard"]
    if thread is threading.main_thread():
        return rest[:1] == ["kernel"] and _in_our_code(thread)
    marked = getattr(thread, "pydev_do_not_trace", False)
    machinery = type(thread).__module__.partition(".")[0] in _KERNEL
    return bool(marked or machinery) and {"kernel", "standard"}.issuperset(kinds)


def _knows_frameworks(frame: FrameType) -> bool:
    """Whether a library module on a stack has imported something of a framework.

    Modules that merely run a thread, such as the kernel's or the simulated GPU's, are not examined.
    """
    for caller, _ in walk_stack(frame):
        if kind_of(caller) != "library":
            continue
        for value in list(caller.f_globals.values()):
            name = _TELLS_MODULE[type(value)](value) if type(value) in _TELLS_MODULE else None
            if type(name) is str and name.partition(".")[0] in _FRAMEWORKS:
                return True
    return False


def _in_our_code(thread: threading.Thread) -> bool:
    frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 — see above
    while frame is not None and kind_of(frame) == "standard":
        frame = frame.f_back
    return frame is not None and _root(frame) in OURS


def _awaiting(coroutine: Any) -> Doing:
    """Return what an awaiting task is doing; `None` for one of the kernel's own."""
    kinds: set[Kind] = set()
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        if frame is not None:
            kinds.add(kind_of(frame))
        coroutine = getattr(coroutine, "cr_await", None)
    if "framework" in kinds:
        return "inside"
    return "waiting" if "own" in kinds or "library" in kinds else None


def _tasks(loop: Any) -> list[asyncio.Task[Any]]:
    try:
        return [] if loop is None else list(asyncio.all_tasks(loop))
    except RuntimeError:  # the set of tasks changes while it is copied
        return []


def _kinds(frame: FrameType) -> list[Kind]:
    """Return the owners of the functions on a stack, innermost first."""
    return [kind_of(caller) for caller, _ in walk_stack(frame)]


def kind_of(frame: FrameType) -> Kind:
    """Return the owner of a frame's code."""
    root, file = _root(frame), frame.f_code.co_filename
    if root in _FRAMEWORKS:
        return "service" if frame.f_globals["__name__"].startswith(_SERVICES) else "framework"
    if root in _KERNEL:
        return "kernel"
    return kind_of_file(file)


def kind_of_file(file: str) -> Kind:
    """Return the owner of the code in a file; a framework counts as a library."""
    if any(folder in file for folder in _INSTALLED):
        return "library"
    return "standard" if is_standard(file) else "own"


def is_standard(file: str) -> bool:
    """Whether a file is part of the standard library, installed packages excluded."""
    return normcase(file).startswith(_STANDARD) and not any(folder in file for folder in _INSTALLED)


def of_kernel(file: str) -> bool:
    """Whether a file is part of the kernel, IPython or the helper."""
    return not _KERNEL.isdisjoint(file.replace("\\", "/").split("/"))


def _root(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if type(name) is str else ""


# --- C functions that a frame calls --------------------------------------------


def _calls_standard_library(frame: FrameType) -> bool:
    """Whether a function is inside a C call of the standard library, such as `time.sleep`.

    Found from the source position of the call, which Python keeps since 3.11.
    """
    names = _called(frame.f_code, frame.f_lasti)
    func: Any = frame.f_globals.get(names[0]) if names else None
    for name in names[1:]:
        func = vars(func).get(name) if type(func) is types.ModuleType else None
    owner = getattr(func, "__module__", None) if type(func) is types.BuiltinFunctionType else None
    return type(owner) is str and owner.partition(".")[0] in sys.stdlib_module_names


def _called(code: CodeType, offset: int) -> list[str]:
    """Return the dotted name called at an instruction, split; empty where it has none.

    The loads of that name begin at the same source position as the call.
    """
    if not hasattr(code, "co_positions"):
        return []
    until: list[Any] = [
        instruction for instruction in dis.get_instructions(code) if instruction.offset <= offset
    ]
    if not until or until[-1].offset != offset or "CALL" not in until[-1].opname:
        return []
    call = until.pop().positions
    names: list[str] = []
    for instruction in until:
        if (instruction.positions.lineno, instruction.positions.col_offset) != (
            call.lineno,
            call.col_offset,
        ):
            continue
        if instruction.opname in {"LOAD_GLOBAL", "LOAD_NAME"}:
            names = [instruction.argval]
        elif instruction.opname in {"LOAD_ATTR", "LOAD_METHOD"} and names:
            names.append(instruction.argval)
        elif instruction.opname.startswith("LOAD"):
            names = []
    return names
