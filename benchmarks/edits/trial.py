"""One run of a program's cells in this process, on the CPU, as a kernel would run them.

Clocks, random numbers and what is printed are the trial's own, so two runs of one text give the
same. Magics are neutral: `%time x` runs `x`, `!command` does nothing.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import inspect
import io
import os
import random
import signal
import sys
import warnings
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from IPython.core import inputtransformer2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LIMIT_S = 20.0
_TRANSFORMER: Any = inputtransformer2.TransformerManager()  # type: ignore[no-untyped-call]
_SEED = 1234
# Magics of which what follows runs once; of all others nothing does.
_RUN = frozenset({"time", "timeit", "prun", "memit", "capture"})


class OutOfTimeError(BaseException):
    """A program that takes too long; no `except Exception` of its own catches it."""


@dataclass
class Outcome:
    """What a program leaves; `failed` says by which error it ended, if it did."""

    namespace: dict[str, Any]
    printed: str = ""
    failed: str = ""
    state: dict[str, Any] = field(default_factory=dict)


def run(cells: Mapping[str, str], limit_s: float = LIMIT_S) -> Outcome:
    """Run all cells one after the other, to the first that fails."""
    # What the classes of a program call their module, so that they can be found again by name.
    main = ModuleType("__main__")
    printed, outcome = io.StringIO(), Outcome(vars(main))
    with ExitStack() as stack:
        stack.enter_context(_quiet(printed))
        stack.enter_context(_as_main(main))
        stack.enter_context(_limited(limit_s))
        loop = asyncio.new_event_loop()
        stack.callback(loop.close)
        _start(main)
        try:
            for number, source in enumerate(cells.values(), 1):
                _run_cell(source, vars(main), number, loop)
        except (Exception, OutOfTimeError, SystemExit) as error:  # noqa: BLE001  it is a finding
            outcome.failed = f"{type(error).__name__}: {error}"[:300]
            error.__traceback__ = None
        outcome.state = _state()
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
    outcome.printed = printed.getvalue()
    return outcome


class _Shell:
    """What a cell's magics call."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.user_ns = namespace

    def run_line_magic(self, name: str, line: str, *_: Any, **__: Any) -> Any:
        return self._run(line) if name in _RUN else None

    def run_cell_magic(self, name: str, _line: str, cell: str) -> Any:
        return self._run(cell) if name in _RUN else None

    def system(self, _command: str) -> None:
        return None

    def getoutput(self, _command: str, *_: Any, **__: Any) -> list[str]:
        return []

    def _run(self, text: str) -> Any:
        source = _TRANSFORMER.transform_cell(text)
        try:
            code = compile(source, "<magic>", "eval")
        except SyntaxError:
            exec(compile(source, "<magic>", "exec"), self.user_ns)  # noqa: S102  it is its purpose
            return None
        return eval(code, self.user_ns)  # noqa: S307


def _run_cell(
    source: str, namespace: dict[str, Any], number: int, loop: asyncio.AbstractEventLoop
) -> None:
    text = _TRANSFORMER.transform_cell(source)
    tree = ast.parse(text)
    shown = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_silent(source):
        shown = ast.Expression(tree.body.pop().value)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    name = f"<cell {number}>"
    # Future statements of this file are not the program's.
    _evaluate(compile(tree, name, "exec", flags, dont_inherit=True), namespace, loop)
    if shown is None:
        return
    value = _evaluate(compile(shown, name, "eval", flags, dont_inherit=True), namespace, loop)
    if value is not None:
        namespace["Out"][number] = namespace["_"] = value
        if isinstance(value, (bool, int, float, str)):
            print(value)


def _evaluate(code: Any, namespace: dict[str, Any], loop: asyncio.AbstractEventLoop) -> Any:
    value = eval(code, namespace)  # noqa: S307  it is its purpose
    if code.co_flags & inspect.CO_COROUTINE:
        return loop.run_until_complete(value)
    return value


def _is_silent(source: str) -> bool:
    return source.rstrip().endswith(";")


def _start(main: ModuleType) -> None:
    shell = _Shell(vars(main))
    vars(main).update(
        __builtins__=builtins, get_ipython=lambda: shell, display=lambda *_: None, Out={}
    )
    random.seed(_SEED)
    np.random.seed(_SEED)  # noqa: NPY002  programs use the old generator
    torch.manual_seed(_SEED)
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def _state() -> dict[str, Any]:
    return {
        "the random state of torch": torch.get_rng_state(),
        "the random state of numpy": np.random.get_state(),  # noqa: NPY002
        "the random state of Python": random.getstate(),
        "whether gradients are on": torch.is_grad_enabled(),
        "the default dtype": torch.get_default_dtype(),
    }


@contextmanager
def _quiet(printed: io.StringIO) -> Iterator[None]:
    os.environ["TQDM_DISABLE"] = "1"
    with (
        redirect_stdout(printed),
        redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _as_main(main: ModuleType) -> Iterator[None]:
    before = sys.modules["__main__"]
    sys.modules["__main__"] = main
    try:
        yield
    finally:
        sys.modules["__main__"] = before


@contextmanager
def _limited(limit_s: float) -> Iterator[None]:
    def end(*_: Any) -> None:
        raise OutOfTimeError(f"more than {limit_s:g} s")

    handler = signal.signal(signal.SIGALRM, end)
    timer = signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
