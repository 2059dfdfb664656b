"""Notebooks that run out of memory for each of the causes that the GPU knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import GIB

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda

LAYERS = """
from torch import nn
model = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(2048, 2048), nn.ReLU())]).cuda()
def batch(n):
    return torch.randn(n, 2048, device='cuda')
"""
STEP = """
optimizer = torch.optim.AdamW(model.parameters())
model(batch(64)).sum().backward()
optimizer.step(); optimizer.zero_grad()
"""
# By the rule that speaks: all cells of a notebook, the last of which fails.
NOTEBOOKS = {
    "huge-request": ["scores = torch.empty(4, 32, 16384, 16384, device='cuda')"],
    "earlier-traceback": [
        "def use(x):\n    y, z = x + 1, x + 2\n    return torch.cat([y, z])",
        "x = torch.empty(2**30, device='cuda')\nuse(x)",
        "other = torch.empty(5 * 2**28, device='cuda')",
    ],
    "fragmentation": [
        "pieces = [torch.empty(6 * 2**20, dtype=torch.uint8, device='cuda') for _ in range(2250)]",
        "del pieces[::3], pieces[::2]",
        "result = torch.empty(5 * 2**28, device='cuda')",
    ],
    "retained-graph": [
        LAYERS + STEP,
        "losses = []\nwhile True:\n    loss = model(batch(2048)).sum()\n    losses.append(loss)",
    ],
    "evaluation-with-gradients": [
        LAYERS,
        "model.eval()\nx = batch(131072)\nprediction = model(x)",
    ],
    "activations": [
        LAYERS + STEP,
        "for n in (1024, 131072):\n    loss = model(batch(n)).sum()\n    loss.backward()",
    ],
    "reference-cycles": [
        # Whether Python's collector comes by while the error is shown is luck.
        """
import gc
gc.disable()
class Trainer:
    def __init__(self):
        self.values = torch.empty(2**29, device='cuda')
        self.callbacks = [self]
""",
        "for _ in range(20):\n    Trainer()",
    ],
    "unnamed-values": [
        "x = torch.empty(2**29, device='cuda')",
        "y = (x + 1) * ((x + 2) * ((x + 3) * ((x + 4) * ((x + 5) * ((x + 6) * (x + 7))))))",
    ],
}


def cause(kernel: CudaKernel, *cells: str) -> str | None:
    """Run a notebook whose last cell fails, and return the cause on its GPU."""
    *earlier, last = cells
    for cell in earlier:
        kernel.run(cell, stop_on_error=False)
    result = kernel.fail(last)["cause"]
    return None if result is None else str(result["rule"])


@pytest.fixture(scope="module")
def sixteen_gib(cuda: CudaKernel) -> None:
    """No more of a larger GPU: the notebooks were written for one of this size."""
    total_bytes = cuda.value("torch.cuda.get_device_properties(0).total_memory")
    if total_bytes > 16 * GIB:
        share = 16 * GIB / total_bytes
        cuda.good(f"torch.cuda.set_per_process_memory_fraction({share})")


@pytest.mark.usefixtures("sixteen_gib", "trash")
@pytest.mark.parametrize("rule", NOTEBOOKS)
def test_the_cause_is_named(cuda: CudaKernel, rule: str) -> None:
    """What the notebook was written for is the likeliest cause."""
    cuda.release()  # the error of the notebook before keeps its model
    assert cause(cuda, *NOTEBOOKS[rule]) == rule


def test_other_programs_are_named(start_cuda: StartCuda) -> None:
    """Another program has most of the GPU."""
    kernel = start_cuda(outside="10GiB")
    cells = ("import torch\nx = torch.empty(2**30, device='cuda')", "y = x + 1")
    assert cause(kernel, *cells) == "other-programs"


def test_a_limit_is_named(start_cuda: StartCuda) -> None:
    """PyTorch was told to take a part of the GPU only."""
    kernel = start_cuda()
    cells = (
        "import torch\ntorch.cuda.set_per_process_memory_fraction(0.3)",
        "x = torch.empty(2**31, device='cuda')",
    )
    assert cause(kernel, *cells) == "memory-fraction"
