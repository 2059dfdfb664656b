"""What only autograd graphs hold, on PyTorch that shows what they have saved and that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cuda.kernel import MIB, parts_of

if TYPE_CHECKING:
    from tests.cuda.kernel import CudaKernel

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("trash")]

# `GELU`, the norms and the last product save what the ones before have made: 3 MiB, and 512 KiB.
FORWARD = """
import torch
from torch import nn
layers = [nn.Linear(1024, 1024), nn.GELU(), nn.LayerNorm(1024), nn.Linear(1024, 512), nn.GELU()]
model = nn.Sequential(*layers).cuda()
batch = torch.randn(256, 1024, device='cuda')
out = model(batch)
loss = out.sum()
del out, layers
"""
SEEN = 3 * MIB + MIB // 2


def account(kernel: CudaKernel, *, graphs: bool = True) -> dict[str, Any]:
    """Return the account of the first GPU, whose parts add up."""
    reply = kernel.asked("holders")
    device: dict[str, Any] = reply["devices"][0]
    assert device["in_use_bytes"] == kernel.allocated()
    assert sum(parts_of(device).values()) == device["in_use_bytes"]
    partly = reply["message"]["id"] == "holders.measured_in_part"
    assert partly is (graphs and not kernel.shows_graphs())
    return device


def freed_bytes(kernel: CudaKernel, item: str) -> int:
    """Release an item, and return what came back."""
    before = kernel.allocated()
    kernel.release(item, confirmed=True)
    return before - kernel.allocated()


def test_it_stands_under_the_name_that_keeps_the_graph(cuda: CudaKernel) -> None:
    """Not among what no name reaches, though Python once knew each of these tensors."""
    cuda.good(FORWARD)
    device = account(cuda)
    rows = {row["name"]: row["graph_bytes"] for row in device["rows"]}
    assert rows["loss"] == parts_of(device)["graphs"]
    assert 0 <= rows["loss"] - SEEN < MIB // 8  # the norm's statistics are not seen everywhere
    assert parts_of(device)["unnamed"] == 0


def test_a_graph_gives_what_was_foretold(cuda: CudaKernel) -> None:
    """What Python has never seen comes back beside it."""
    cuda.good(FORWARD)
    forecast = cuda.expected()["graph:loss"]
    assert forecast >= SEEN
    assert 0 <= freed_bytes(cuda, "graph:loss") - forecast < MIB // 8
    assert parts_of(account(cuda, graphs=False))["graphs"] == 0


@pytest.mark.parametrize("code", ["other = model[:2](batch)", "other = model[0](batch * 2)"])
def test_what_two_graphs_keep_is_foretold_for_neither(cuda: CudaKernel, code: str) -> None:
    """One graph is freed, and the other goes on."""
    cuda.good(f"{FORWARD}\n{code}")
    forecast = cuda.expected()["graph:loss"]
    assert forecast >= SEEN
    assert 0 <= freed_bytes(cuda, "graph:loss") - forecast < MIB // 8
    cuda.good("other.sum().backward()")


def test_a_graph_that_a_backward_pass_has_freed_keeps_nothing(cuda: CudaKernel) -> None:
    """The loss of the last step stays in its variable for good."""
    cuda.good(f"{FORWARD}loss.backward()")
    assert "graph:loss" not in cuda.expected()
    device = cuda.asked("holders")["devices"][0]
    assert parts_of(device)["graphs"] == 0


@pytest.mark.parametrize("graph", ["alive", "freed"])
def test_parameters_that_a_graph_has_saved_do_not_come_back(cuda: CudaKernel, graph: str) -> None:
    """A model that is moved leaves the weights behind that a product has saved, transposed."""
    cuda.good(FORWARD + ("loss.backward()" if graph == "freed" else ""))
    forecast = cuda.expected()["offload:model"]
    size = freed_bytes(cuda, "offload:model")
    if cuda.tells_sharing():
        assert forecast == size > 0
    else:
        assert forecast <= size
    cuda.release("restore:model", confirmed=True)


def test_a_batch_that_a_graph_has_saved_does_not_come_back(cuda: CudaKernel) -> None:
    """A graph of older versions does not show it; the storage shows that C++ has it, too."""
    cuda.good(FORWARD)
    forecast = cuda.expected().get("variable:batch", 0)
    before = cuda.allocated()
    cuda.good("del batch")
    assert before == cuda.allocated()
    if cuda.value("hasattr(torch.Tensor, '_use_count')"):  # since PyTorch 2.4
        assert forecast == 0


def test_hooks_are_not_run(cuda: CudaKernel) -> None:
    """To unpack what was saved is the backward pass's business: it copies, or computes again."""
    cuda.good(
        "import torch\nfrom torch.utils.checkpoint import checkpoint\nran = []\n"
        "def pack(x):\n    return x\n"
        "def unpack(x):\n    ran.append(1)\n    return x\n"
        "layer = torch.nn.Linear(1024, 1024).cuda()\n"
        "def once(x):\n    ran.append(2)\n    return layer(layer(x))\n"
        "batch = torch.randn(256, 1024, device='cuda')\n"
        "with torch.autograd.graph.saved_tensors_hooks(pack, unpack):\n"
        "    first = layer(layer(batch)).sum()\n"
        "second = checkpoint(once, batch, use_reentrant=False).sum()\n"
        "ran.clear()"
    )
    account(cuda)
    cuda.expected()
    assert cuda.value("ran") == []
    cuda.good("(first + second).backward()")
    assert set(cuda.value("ran")) == {1, 2}


def test_nothing_is_different_after_a_look(cuda: CudaKernel) -> None:
    """On the GPU nothing; a graph lets go of what it held, and the backward pass works.

    A graph that shows what it has saved makes tensors of it in Python, which go with the graph.
    """
    cuda.good(
        f"{FORWARD}import gc, sys, weakref\n"
        "def state():\n"
        "    found = [each for each in gc.get_objects() if type(each) is torch.Tensor]\n"
        "    return sorted(sys.getrefcount(each) for each in found), torch.cuda.memory_allocated()"
    )
    before = cuda.value("state()")
    account(cuda)
    cuda.expected()
    after = cuda.value("state()")
    assert after[1] == before[1]
    assert after[0] == before[0] or cuda.shows_graphs()
    cuda.good("loss.backward()\ndel loss\ngc.collect()")
    assert len(cuda.value("state()")[0]) < len(before[0])
