"""What the other threads of this process are doing: one may be training at this moment.

Reading gradients, saved tensors and graphs while native code of another thread writes them corrupts
memory. PyTorch lets go of the interpreter while it computes: that nobody else runs Python says
nothing. But a thread inside native code stands still in Python, and its frames tell where.
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
# Loops of frameworks that wait for data, which they make of nothing that a graph knows, or for
# processes that they have started.
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
    """The threads and tasks of the person's beside this thread, by their names.

    `inside` are those that are inside a framework, or may be; the others only wait.
    """

    inside: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def there(self) -> bool:
        """Whether there is anybody who could go on."""
        return bool(self.inside or self.waiting)


def look(loops: Iterable[Any] = (), *, own: bool = True) -> Company:
    """Look at the frames of every thread, and of the tasks that await in these event loops.

    Of the calling thread, unless not `own`, it counts whether it was called inside a framework.
    """
    found: dict[Doing, list[str]] = {"inside": [], "waiting": []}
    threads = {running.ident: running for running in threading.enumerate()}
    # Never in a variable: our own frame is among them, and a cycle would keep the user's alive.
    frames = sys._current_frames()  # noqa: SLF001 — the documented way to other threads' stacks
    while frames:
        ident = next(iter(frames))
        thread = threads.get(ident)
        name = "" if thread is None else thread.name
        if ident == threading.get_ident():
            found["inside"] += [name] * (own & ("framework" in _kinds(frames.pop(ident))))
        else:
            found.setdefault(_doing(thread, frames.pop(ident)), []).append(name)
    for loop in loops:
        for task in _tasks(loop):
            found.setdefault(_awaiting(task.get_coro()), []).append(task.get_name())
    inside, waiting = found["inside"], found["waiting"]
    return Company(tuple(inside[:_MOST_NAMED]), tuple(waiting[:_MOST_NAMED]))


@contextmanager
def kept_out() -> Iterator[None]:
    """Keep all others from running Python meanwhile, for a quarter of a second at least.

    A thread that waits for the interpreter asks for it once per switch interval; whoever began to
    wait before asks within the usual one yet, and gets its turn first.
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
    """Return what a thread is doing; `None` where it is nobody's who has tensors."""
    kinds = _kinds(top)
    if is_ours(thread) or _is_kernels(thread, kinds):
        return None
    begun = [kind for kind in kinds if kind != "standard"][-1:]
    if begun == ["service"]:  # whatever it calls meanwhile
        return None
    if "framework" in kinds:
        return "inside"
    if "own" in kinds or ("library" in kinds and _knows_frameworks(top)):
        # As far as its frames tell: what a function calls in C is not among them.
        computes = kinds[0] in ("own", "library") and not _calls_standard_library(top)
        return "inside" if computes else "waiting"
    served = type(thread) is threading.Timer or any(map(_awaiting, _coroutines(top)))
    return "waiting" if served else None


def _coroutines(top: FrameType) -> Iterator[Any]:
    """Yield what awaits in the event loop that a thread runs; a library's at rest has nothing."""
    for frame, _ in walk_stack(top):
        if frame.f_code.co_name == "run_forever" and _root(frame) == "asyncio":
            yield from [task.get_coro() for task in _tasks(frame.f_locals.get("self"))]


def _is_kernels(thread: threading.Thread | None, kinds: list[Kind]) -> bool:
    """Whether a thread is the kernel's, and runs nothing of the person's.

    The main thread, where it stands in our code: it goes on after us. A subshell that begins a
    cell waits in our hook.
    """
    rest = [kind for kind in kinds if kind != "standard"]
    if thread is threading.main_thread():
        return rest[:1] == ["kernel"] and _in_our_code(thread)
    marked = getattr(thread, "pydev_do_not_trace", False)
    machinery = type(thread).__module__.partition(".")[0] in _KERNEL
    return bool(marked or machinery) and {"kernel", "standard"}.issuperset(kinds)


def _knows_frameworks(frame: FrameType) -> bool:
    """Whether a module of a library's functions on a stack has imported something of a framework.

    What runs a thread, as the kernel does or our simulated GPU, says nothing of what it does.
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
    """Return what a task is doing that awaits: nothing where it is the kernel's own."""
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
    except RuntimeError:  # they change faster than they can be listed
        return []


def _kinds(frame: FrameType) -> list[Kind]:
    """Return whose the functions on a stack are, innermost first."""
    return [kind_of(caller) for caller, _ in walk_stack(frame)]


def kind_of(frame: FrameType) -> Kind:
    """Return whose the code of a frame is."""
    root, file = _root(frame), frame.f_code.co_filename
    if root in _FRAMEWORKS:
        return "service" if frame.f_globals["__name__"].startswith(_SERVICES) else "framework"
    if root in _KERNEL:
        return "kernel"
    return kind_of_file(file)


def kind_of_file(file: str) -> Kind:
    """Return whose the code in a file is, a framework's being a library's."""
    if any(folder in file for folder in _INSTALLED):
        return "library"
    return "standard" if is_standard(file) else "own"


def is_standard(file: str) -> bool:
    """Whether a file is of Python's own library, in which packages may be installed."""
    return normcase(file).startswith(_STANDARD) and not any(folder in file for folder in _INSTALLED)


def of_kernel(file: str) -> bool:
    """Whether a file is the kernel's, IPython's or ours."""
    return not _KERNEL.isdisjoint(file.replace("\\", "/").split("/"))


def _root(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if type(name) is str else ""


# --- What a function calls in C ------------------------------------------------


def _calls_standard_library(frame: FrameType) -> bool:
    """Whether a function is just calling something like `time.sleep`: then that is where it is.

    Told by the place of the call in the source, which Python keeps since 3.11.
    """
    names = _called(frame.f_code, frame.f_lasti)
    found: Any = frame.f_globals.get(names[0]) if names else None
    for name in names[1:]:
        found = vars(found).get(name) if type(found) is types.ModuleType else None
    owner = getattr(found, "__module__", None) if type(found) is types.BuiltinFunctionType else None
    return type(owner) is str and owner.partition(".")[0] in sys.stdlib_module_names


def _called(code: CodeType, offset: int) -> list[str]:
    """Return the dotted name of what is called at an instruction; nothing where it has none.

    The names by which a function is loaded begin in the source where its call begins.
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
