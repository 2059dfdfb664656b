"""A start that fails half-way leaves the kernel as it was, and can be tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.harm.state import STATE

if TYPE_CHECKING:
    from tests.conftest import Start

# What fails, and what makes it work again. A process may be at its limit of threads.
FAILURES = {
    "no thread": ("threading.Thread.start", "can't start new thread"),
    "no comm": ("gpu_headroom.kernel.channel.KernelChannel.open", "no control channel"),
    "no hooks": ("gpu_headroom.session.cell_hooks.CellHooks.open", "no hooks"),
}
BREAK = """
import threading, gpu_headroom.session
def broken(*_): raise RuntimeError({reason!r})
working, {name} = {name}, broken
try:
    gpu_headroom.start()
except RuntimeError as error:
    print(error)
finally:
    {name} = working
"""


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_start_leaves_nothing(start: Start, failure: str) -> None:
    """No hook, handler, thread or name, however often it is tried; then it starts."""
    name, reason = FAILURES[failure]
    kernel = start(installed=True)
    kernel.run(STATE)
    code = BREAK.format(name=name, reason=reason)
    kernel.run(code.replace("gpu_headroom.start()", "pass"))
    before = kernel.value("_state()")
    for _ in range(3):
        assert reason in kernel.run(code).text
    assert kernel.value("_state()") == before
    assert kernel.value("__import__('gpu_headroom').alive()") is False
    assert kernel.run("gpu_headroom.start()").status == "ok"
    assert kernel.attach()["type"] == "attach"
