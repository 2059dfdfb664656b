"""What is not simulated says so in one sentence when a program asks for it."""

from __future__ import annotations

import re
from functools import partial
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.utils.dlpack
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation


def emit_nvtx(tensor: torch.Tensor) -> None:
    """Let autograd mark its operators."""
    with torch.autograd.profiler.emit_nvtx():
        tensor + 1


def lose_ctc(tensor: torch.Tensor) -> Any:
    """Align two texts with their probabilities."""
    scores = torch.zeros(5, 2, 4, device=tensor.device).log_softmax(2)
    texts = torch.ones(2, 3, dtype=torch.long, device=tensor.device)
    return nn.CTCLoss()(scores, texts, torch.tensor([5, 5]), torch.tensor([3, 3]))


def sparse_gradient(kind: Any, tensor: torch.Tensor) -> None:
    """Let a table of embeddings have a sparse gradient."""
    table = kind(4, 4, sparse=True).to(tensor.device)
    table(torch.tensor([[1]], device=tensor.device)).sum().backward()


def compile_kernel(tensor: torch.Tensor) -> Any:
    """Compile a kernel from its source."""
    source = "template <typename T> T same(T x) { return x; }"
    return torch.cuda.jiterator._create_jit_fn(source)(tensor)


REFUSALS: dict[str, tuple[Any, str]] = {
    "a compressed copy": (lambda t: t.to_sparse_csr(), "sparse tensors"),
    "a sparse tensor": (
        lambda t: torch.sparse_coo_tensor([[0]], [1.0], (2,), device=t.device),  # type: ignore[arg-type]  # lists are taken
        "sparse tensors",
    ),
    "a sparse tensor of the host": (lambda t: t.cpu().to_sparse().to(t.device), "sparse tensors"),
    "a sparse gradient": (partial(sparse_gradient, nn.Embedding), "sparse tensors"),
    "a sparse gradient of a bag": (partial(sparse_gradient, nn.EmbeddingBag), "sparse tensors"),
    "a memory pool": (lambda _: torch.cuda.MemPool(), "memory pools"),
    "a tensor type": (
        lambda _: vars(torch.cuda)["FloatTensor"](2),
        "tensor types: give dtype and device",
    ),
    "another allocator": (
        lambda _: torch.cuda.memory.CUDAPluggableAllocator("alloc.so", "alloc", "free"),
        "room for another allocator",
    ),
    "no caching": (
        lambda _: torch.cuda.memory.caching_allocator_enable(False),
        "allocator that does not cache",
    ),
    "a foreign stream": (lambda _: torch.cuda.ExternalStream(1), "streams of other libraries"),
    "NVTX of autograd": (emit_nvtx, "NVTX"),
    "another process": (
        ForkingPickler.dumps,
        "memory that other processes could share: copy it to the host with .cpu() first",
    ),
    "an event of another process": (
        lambda _: torch.cuda.Event(interprocess=True).ipc_handle(),
        "events that other processes could share",
    ),
    "DLPack": (torch.utils.dlpack.from_dlpack, "memory that DLPack could share"),
    "CTC loss": (lose_ctc, "CTC loss"),
    "a quantized tensor": (
        lambda t: torch.quantize_per_tensor(t, 0.1, 0, torch.qint8),
        "quantized tensors",
    ),
    "a nested tensor": (
        lambda t: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device=t.device),
        "nested tensors",
    ),
    "a traced program": (
        lambda t: torch.jit.trace(nn.Linear(4, 4).to(t.device), (t,)),
        "tracing for torch.jit",
    ),
    "an exported program": (
        lambda t: torch.export.export(nn.Linear(4, 4).to(t.device), (t,)),
        "tracing for torch.export",
    ),
    "a kernel from source": (compile_kernel, "kernels compiled at run time"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_not_there_says_so(gpu: Simulation, name: str) -> None:
    """The error is one sentence that names the simulated GPU, and the GPU works on."""
    ask, feature = REFUSALS[name]
    tensor = torch.ones(4, 4, device="cuda")
    with pytest.raises(
        NotImplementedError, match=re.escape(f"The simulated GPU has no {feature}.") + "$"
    ):
        ask(tensor)
    assert (tensor + 1).is_cuda
    del gpu


IGNORED: dict[str, tuple[Callable[[torch.Tensor], Any], str]] = {
    "NVTX": (
        lambda _: torch.cuda.nvtx.mark("here"),
        "The simulated GPU has no NVTX: ranges and marks are not recorded.",
    ),
    "the profiler": (
        lambda _: torch.cuda.profiler.start(),
        "The simulated GPU has no times of its own: only the host is profiled.",
    ),
    "allocator settings": (
        lambda _: torch._C._accelerator_setAllocatorSettings("max_split_size_mb:64"),
        "The simulated GPU keeps PyTorch's default allocator settings: others have no effect.",
    ),
}


@pytest.mark.parametrize("name", IGNORED)
def test_what_changes_no_result_is_left_out_with_a_warning(gpu: Simulation, name: str) -> None:
    """A program that only wants to be observed or tuned runs, and is told what it misses."""
    ask, sentence = IGNORED[name]
    with pytest.warns(UserWarning, match=re.escape(sentence)):
        ask(torch.ones(2, device="cuda"))
    del gpu


def test_the_host_is_refused_nothing(gpu: Simulation) -> None:
    """What only the GPU lacks works on the host's tensors all the while."""
    tensor = torch.eye(4)
    assert tensor.to_sparse().is_sparse
    assert torch.equal(torch.utils.dlpack.from_dlpack(tensor), tensor)
    assert ForkingPickler.dumps(tensor)
    assert torch.export.export(nn.Linear(4, 4), (tensor,)).graph_module is not None
    del gpu
