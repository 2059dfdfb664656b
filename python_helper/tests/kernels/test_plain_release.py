"""What is executed where there is no helper: what it gives back, and what it leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.live import SOURCES

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel

MIB = 2**20
CODE = (SOURCES / "gpu_headroom" / "kernel" / "plain_release.py").read_text(encoding="utf-8")
HOLD = """import gpu_headroom
gpu_headroom.simulate("4 GiB", compute="meta")
import torch
held = torch.empty(2**28, dtype=torch.uint8, device="cuda")
lost = [torch.empty(2**28, dtype=torch.uint8, device="cuda")]
lost.append(lost)
del lost, gpu_headroom"""
SHADOWED = "getattr = globals = list = None"
NAMES = "sorted(k for k in get_ipython().user_ns if k[:2] not in ('_i', '_o'))"


def release(kernel: LiveKernel) -> list[int]:
    """Execute it as the front end does; returns what it answers."""
    run = kernel.run(
        CODE,
        silent=True,
        store_history=False,
        stop_on_error=False,
        user_expressions={"release": "__gpu_headroom_release()"},
    )
    assert run.outputs == []
    answer = run.reply["user_expressions"]["release"]
    assert answer["status"] == "ok", answer
    numbers: list[int] = json.loads(answer["data"]["text/plain"])
    return numbers


def test_gives_back_what_nothing_reaches(start: Start) -> None:
    """And the cache; no name goes, none is left, whatever the notebook has called its own."""
    kernel = start(installed=True)
    kernel.run("import gc; gc.disable()")
    kernel.run(HOLD)
    kernel.run("'a value'")
    kernel.run(SHADOWED)
    before = kernel.value(NAMES)
    assert release(kernel) == [512 * MIB, 256 * MIB, 512 * MIB, 256 * MIB]
    after = kernel.value(NAMES)
    assert after == before
    assert kernel.value("(_, __doc__ is None or 'gpu' not in __doc__.lower())") == ("a value", True)


def test_asks_nothing_of_a_kernel_without_a_device(start: Start) -> None:
    """No framework is imported or started."""
    kernel = start()
    assert release(kernel) == []
    assert kernel.value("'torch' in __import__('sys').modules") is False
