"""A notebook as people have them: a model of GPT-2's size, and far more objects than tensors."""

from __future__ import annotations

import gc

from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.account import take
from gpu_simulator import simulate
from tests.holders.gpt2 import NOTEBOOK
from tests.notebook import open_notebook


def test_explains_what_is_in_use() -> None:
    """Nearly all memory has a name or hangs on a named graph; `benchmarks/` measures the time."""
    with simulate("24 GiB"), open_notebook() as notebook:
        assert notebook.run(NOTEBOOK).success, notebook.printed
        notebook.run("model(torch.randint(50257, (1, 64), device='cuda'))")
        gc.unfreeze()
        account = take(notebook.shell, notebook.read(), Turn(30.0))
        (device,) = account.devices
        assert account.complete
        assert device.held_bytes / device.in_use_bytes >= 0.99
        assert device.in_use_bytes == notebook.in_use()
