"""Early end of training loops, once further iterations do not change the memory in use.

A loop of a cell that makes steps of an optimizer iterates through a replacement that ends early,
and so does a `DataLoader` that a library trains with.
"""

from __future__ import annotations

import ast
import builtins
import ctypes
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_headroom.concurrency import threads
from gpu_headroom.own import SIMULATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS, BEGINS, GOES_ON = "__dry_run_rounds__", "__dry_run_begins__", "__dry_run_goes_on__"
_QUIET = "_dry_run_quiet"
_AGAIN_S = 1.0
_SOON_S = 0.001
_SMALL_BYTES = 64 * 1024  # more in a step is growth


class Timeout(BaseException):
    """A cell has had its time. Not for the notebook to catch."""


class _Mark(NamedTuple):
    steps: int
    peak_bytes: int
    allocated_bytes: int


class StepCounter:
    """Counts steps of optimizers, and compares the memory of an allocator between them.

    A loop ends after `quiet_steps` that change nothing. `cut` are the loops that were ended early,
    by their line in a cell; 0 is a `DataLoader`.
    """

    def __init__(self, allocator: Any, quiet_steps: int) -> None:
        self._allocator = allocator
        self.quiet_steps = quiet_steps
        self._whiles: dict[int, _Quiet] = {}
        self._steps = 0
        self.cut: set[int] = set()

    def follow(self, shell: Any) -> None:
        """Count the steps of all optimizers from now on, and end the loops of cells early."""
        from torch.optim.optimizer import register_optimizer_step_post_hook
        from torch.utils.data import dataloader

        register_optimizer_step_post_hook(self._stepped)
        vars(builtins)[ROUNDS] = self.rounds
        vars(builtins)[BEGINS] = self.begins
        vars(builtins)[GOES_ON] = self.goes_on
        shell.ast_transformers.append(Loops())
        loader: Any = dataloader._BaseDataLoaderIter  # noqa: SLF001  what each of them gives out by
        loader.__next__ = self._ending(loader.__next__)

    def mark(self) -> _Mark:
        """Return the number of optimizer steps so far, the peak and the bytes in use."""
        now = self._allocator.stats()["allocated_bytes"]["all"]
        return _Mark(self._steps, now["peak"], now["current"])

    def rounds(self, items: Any, line: int) -> Iterator[Any]:
        """Return an iterator over `items` that ends early, once iterations change nothing.

        On the main thread only: on another one, an iteration may be under way that sets a new peak.
        """
        if threading.current_thread() is not threading.main_thread():
            return iter(items)
        return self._shortened(iter(items), line)

    def _shortened(self, items: Iterator[Any], line: int) -> Iterator[Any]:
        """Yield items without keeping them, until the loop is cut short."""
        quiet = _Quiet(self)
        with suppress(StopIteration):
            while not quiet.is_enough():
                yield next(items)
            self.cut.add(line)

    def begins(self, line: int) -> None:
        """Start counting for a `while` at this line: earlier steps are not its own."""
        if threading.current_thread() is threading.main_thread():
            self._whiles[line] = _Quiet(self)

    def goes_on(self, line: int) -> bool:
        """Whether a `while` at this line continues; always true on other threads."""
        if threading.current_thread() is not threading.main_thread():
            return True
        quiet = self._whiles.get(line)
        if quiet is not None and quiet.is_enough():
            self.cut.add(line)
            return False
        return True

    def _ending(self, following: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a replacement for `__next__` of a `DataLoader`, which ends the loop early."""

        def follow(batches: Any) -> Any:
            quiet = vars(batches).setdefault(_QUIET, _Quiet(self))
            if threading.current_thread() is threading.main_thread() and quiet.is_enough():
                del vars(batches)[_QUIET]  # one with workers that stay is gone through again
                self.cut.add(0)
                raise StopIteration
            return following(batches)

        return follow

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        """Count a step that had gradients: without any it is there for a plot of rates."""
        given = (parameter for group in optimizer.param_groups for parameter in group["params"])
        self._steps += any(parameter.grad is not None for parameter in given)


class _Quiet:
    """Check of whether the iterations of one loop still change anything."""

    def __init__(self, training: StepCounter) -> None:
        self._training = training
        self._seen = training.mark()
        self._rounds = 0

    def is_enough(self) -> bool:
        """Whether the last rounds made steps of an optimizer, and no more memory was in use."""
        now, seen = self._training.mark(), self._seen
        if now.steps == seen.steps:
            return False
        grown = now.allocated_bytes - seen.allocated_bytes
        is_quiet = now.peak_bytes == seen.peak_bytes and grown <= _SMALL_BYTES
        self._rounds = self._rounds + 1 if is_quiet else 0
        # Compared with the most by then: what is freed and allocated in each round is no growth.
        most = max(now.allocated_bytes, seen.allocated_bytes)
        self._seen = now._replace(allocated_bytes=most)
        return self._rounds >= self._training.quiet_steps


class Loops(ast.NodeTransformer):
    """Transformer that adds a check to the loops of a cell, except those of generators.

    Code between two iterations of a generator is its caller's, which expects the next value.
    """

    def visit_For(self, node: ast.For) -> ast.AST:
        """Wrap the iterable of a `for` loop."""
        self.generic_visit(node)
        if _yields(node):
            return node
        node.iter = _copied(_call(ROUNDS, node.iter, ast.Constant(node.lineno)), node.iter)
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        """Add a check to the condition of a `while` loop."""
        self.generic_visit(node)
        if _yields(node):
            return [node]
        begins = ast.Expr(_call(BEGINS, ast.Constant(node.lineno)))
        check = _call(GOES_ON, ast.Constant(node.lineno))
        node.test = _copied(ast.BoolOp(ast.And(), [check, node.test]), node.test)
        return [ast.fix_missing_locations(ast.copy_location(begins, node)), node]


def _yields(loop: ast.AST) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(loop))


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _copied(made: ast.expr, place: ast.expr) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(made, place))


class Clock:
    """Ends what the main thread runs once its time is up; again, where that was caught."""

    def __init__(self, seconds: float) -> None:
        self._main = ctypes.c_ulong(threading.get_ident())
        self._seconds, self._began_s = seconds, _ran_s()
        self._over = threads.Bell()
        threads.start(self._run)

    def stop(self) -> None:
        """Cancel the time limit."""
        self._over.ring()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._main, None)

    def _run(self) -> None:
        wait_s = self._seconds
        while not self._over.wait(max(wait_s, _SOON_S)):
            wait_s = self._seconds - (_ran_s() - self._began_s)
            if wait_s <= 0 and not self._is_in_simulator():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(self._main, ctypes.py_object(Timeout))
                wait_s = _AGAIN_S

    def _is_in_simulator(self) -> bool:
        """Whether the main thread is where it may hold a lock, which an error would leave held."""
        frame = sys._current_frames().get(self._main.value or 0)  # noqa: SLF001  the documented way
        while frame and frame.f_globals.get("__name__", "").partition(".")[0] != SIMULATOR:
            frame = frame.f_back
        return frame is not None


def _ran_s() -> float:
    """Return seconds of a clock that stops while the main thread waits for a processor."""
    waited_ns = 0
    with suppress(OSError, ValueError, IndexError):  # where the system does not tell
        waited_ns = int(Path("/proc/self/schedstat").read_text(encoding="ascii").split()[1])
    return time.monotonic() - waited_ns / 1e9
