"""A kernel in which a neighbour runs, with a page that asks for everything or with none."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.harm.debugger import Debugger
from tests.harm.neighbours import FAIL, PREPARE
from tests.harm.operations import OPERATIONS, Page
from tests.harm.state import STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.harm.neighbours import Neighbour
    from tests.live import LiveKernel, Pack

    Step = Callable[[], object]

LONG_S = 120.0


class Outcome(NamedTuple):
    """What a neighbour has computed, and what the kernel is like afterwards."""

    result: Any
    state: dict[str, Any]


def alone(kernel: LiveKernel, neighbour: Neighbour) -> Outcome:
    """Let it run in a kernel without a helper."""
    _prepare(kernel)
    kernel.run(FAIL, stop_on_error=False)
    with _running(kernel, neighbour):
        pass
    return _outcome(kernel, neighbour)


OURS = "[t.name for t in __import__('threading').enumerate() if 'gpu-headroom' in t.name]"


def beside(
    kernel: LiveKernel, neighbour: Neighbour, pack: Pack, cleanup: str, rounds: int
) -> Outcome:
    """Let it run while a page asks for everything `rounds` times, then end the helper."""
    _prepare(kernel)
    kernel.inject(pack)
    kernel.attach()
    kernel.run(FAIL, stop_on_error=False)
    page = Page(kernel, pack, cleanup, busy=neighbour.where != "rest")
    with _running(kernel, neighbour) as step:
        for _ in range(rounds):
            for operation in OPERATIONS.values():
                operation(page)
                step()
    kernel.run("__import__('gpu_headroom').stop()", silent=True, store_history=False)
    # A walk ends at its next pause, which a tracer that follows each of its lines puts off.
    kernel.until(lambda: not kernel.value(OURS))
    return _outcome(kernel, neighbour)


def _prepare(kernel: LiveKernel) -> None:
    assert kernel.run(STATE).status == "ok"
    run = kernel.run(PREPARE)
    assert run.status == "ok", run.outputs


@contextmanager
def _running(kernel: LiveKernel, neighbour: Neighbour) -> Iterator[Step]:
    """Begin it, and wait for its end; gives what a person does between two requests."""
    step: Step = lambda: None  # noqa: E731  most do nothing
    finish: Step = step
    if neighbour.where == "rest":
        run = kernel.run(neighbour.begin)
        assert run.status == "ok", run.outputs
    elif neighbour.where == "question":
        kernel.run(neighbour.begin, stop_on_error=False)
        request = kernel.submit("%debug", allow_stdin=True)
        assert "ipdb" in kernel.answer_input("p local.shape")
        step, finish = lambda: _ask_pdb(kernel), lambda: _quit_pdb(kernel)
    elif neighbour.where == "breakpoint":
        debugger = Debugger(kernel)
        request = debugger.stop_in(neighbour.begin, line=5)
        step, finish = debugger.step, debugger.go_on
    else:
        subshell = kernel.create_subshell() if neighbour.where == "subshell" else None
        request = kernel.start_cell(neighbour.begin, subshell_id=subshell)
    yield step
    finish()
    if neighbour.where != "rest":
        run = kernel.result(request, timeout_s=LONG_S)
        assert run.status == "ok", run.outputs
    if neighbour.where == "breakpoint":
        debugger.disconnect()
    if neighbour.end:
        run = kernel.result(kernel.submit(neighbour.end), timeout_s=LONG_S)
        assert run.status == "ok", run.outputs


def _ask_pdb(kernel: LiveKernel) -> None:
    kernel.answer_input("p local.shape")


def _quit_pdb(kernel: LiveKernel) -> None:
    kernel.answer_input("q")


def _outcome(kernel: LiveKernel, neighbour: Neighbour) -> Outcome:
    # A thread that was told to end has a moment for it.
    for _ in range(50):
        if not kernel.value("_state()")["threads"]:
            break
        time.sleep(0.1)
    return Outcome(kernel.value(neighbour.result), kernel.value("_state()"))
