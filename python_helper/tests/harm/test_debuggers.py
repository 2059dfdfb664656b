"""A person steps through code while a page looks on: neither ever waits for the other for good.

`GPU_HEADROOM_HARM` takes 200 steps with each debugger, without it there are fewer.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from tests.harm.adapter import Adapter
from tests.harm.debugger import Debugger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Start
    from tests.live import LiveKernel, Pack

STEPS = 200 if os.environ.get("GPU_HEADROOM_HARM") else 24
DEPTH = 80
FIRST_LINE = 5
CODE = """def deep(left):
    if left:
        return deep(left - 1)
    count = 0
LINES    return count
""".replace("LINES", "    count += 1\n" * (STEPS + 20))


@pytest.fixture
def kernel(start: Start, pack: Pack) -> LiveKernel:
    """A kernel in which the helper looks ten times a second and a page is attached."""
    process = start()
    process.inject(pack)
    process.attach(rate_hz=10)
    return process


def step_through(kernel: LiveKernel, step: Callable[[], object]) -> None:
    """Step and ask in turns, then end and start nothing: all of it is answered."""
    for number in range(STEPS):
        step()
        if number % 4 == 0:
            time.sleep(0.1)  # no more requests in a second than a page may make
            assert kernel.attach(rate_hz=10)["type"] == "attach"
            assert kernel.ask("sample", client_id="a-page")["type"] == "sample"
            assert kernel.ask("holders")["status"] == "waiting"


def lives_on(kernel: LiveKernel) -> None:
    """The kernel computes, and the helper hears of it."""
    kernel.attach()
    since = kernel.now
    assert kernel.run("deep(0)", cell_id="afterwards").status == "ok"
    kernel.await_event("cell", since, status="ok", cell_id="afterwards")
    assert kernel.sample()["busy"] is False


@pytest.mark.timeout(900)
def test_jupyterlabs_debugger(kernel: LiveKernel) -> None:
    """It suspends all threads but the debugger's own kind, of which ours are."""
    debugger = Debugger(kernel)
    request = debugger.stop_in(f"{CODE}deep({DEPTH})", line=FIRST_LINE)
    assert not [name for name in debugger.threads() if "gpu-headroom" in name]
    since = kernel.now
    kernel.attach(rate_hz=10)
    kernel.await_event("sample", since)
    step_through(kernel, debugger.step)
    debugger.go_on()
    assert kernel.result(request).status == "ok"
    debugger.disconnect()
    lives_on(kernel)


@pytest.mark.timeout(900)
def test_pdb(kernel: LiveKernel) -> None:
    """After an error and at a breakpoint it holds the main thread and asks through the kernel."""
    kernel.run(CODE)
    kernel.run("def fail(left): return fail(left - 1) if left else 1 / 0")
    kernel.run(f"fail({DEPTH})", stop_on_error=False)
    request = kernel.submit("%debug", allow_stdin=True)
    step_through(kernel, lambda: kernel.answer_input("p left"))
    kernel.answer_input("q")
    assert kernel.result(request).status == "ok"
    request = kernel.submit(f"import pdb; pdb.set_trace()\ndeep({DEPTH})", allow_stdin=True)
    for command in ("b deep, not left", "c"):
        kernel.answer_input(command)
    step_through(kernel, lambda: kernel.answer_input("n"))
    for command in ("cl", "y", "c"):
        kernel.answer_input(command)
    assert kernel.result(request).status == "ok"
    lives_on(kernel)


@pytest.mark.timeout(900)
def test_debugpy_attached_from_outside(kernel: LiveKernel, tmp_path: Path) -> None:
    """As VS Code attaches: it listens in the kernel, and talks past it."""
    file = tmp_path / "code_of_mine.py"
    file.write_text(CODE)
    kernel.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from code_of_mine import deep")
    kernel.run("import debugpy; address = debugpy.listen(('127.0.0.1', 0))")
    adapter = Adapter(kernel.value("address[1]"), file, FIRST_LINE)
    request = kernel.submit(f"deep({DEPTH})")
    adapter.await_stop()
    step_through(kernel, adapter.step)
    adapter.close()
    assert kernel.result(request).status == "ok"
    lives_on(kernel)
