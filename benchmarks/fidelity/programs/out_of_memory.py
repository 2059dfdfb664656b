"""Running out of memory in every way that people do."""

from __future__ import annotations

import gc

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .program import Collection
from .training import fit, perceptron, train

COLLECTION = Collection("Out of memory")
GIB = 2**30


@COLLECTION.program()
def batch_too_large() -> None:
    """A batch that is doubled until it does not fit."""
    model = perceptron(4096, 8)
    optimizer = torch.optim.AdamW(model.parameters())
    size = 1024
    while True:
        inputs = torch.randn(size, 4096, device="cuda")
        fit(model, optimizer, inputs, steps=1)
        size *= 2


@COLLECTION.program()
def batch_that_is_halved() -> None:
    """A batch that is halved until it fits, with the cache emptied after each error."""
    model = perceptron(4096, 8)
    optimizer = torch.optim.AdamW(model.parameters())
    size = 2**18
    steps = 0
    while steps < 2:
        try:
            fit(model, optimizer, torch.randn(size, 4096, device="cuda"), steps=1)
            steps += 1
        except torch.OutOfMemoryError:
            size //= 2
        gc.collect()
        torch.cuda.empty_cache()


@COLLECTION.program()
def leak_of_losses() -> None:
    """Losses that are kept with their graphs, step by step."""
    model = perceptron(2048, 6)
    optimizer = torch.optim.SGD(model.parameters())
    kept = []
    while True:
        optimizer.zero_grad()
        loss = model(torch.randn(8192, 2048, device="cuda")).square().mean()
        loss.backward(retain_graph=True)
        optimizer.step()
        kept.append(loss)


@COLLECTION.program()
def leak_of_results() -> None:
    """Predictions that are kept on the GPU, batch by batch."""
    model = perceptron(2048, 4)
    kept = []
    with torch.inference_mode():
        while True:
            kept.append(model(torch.randn(5000, 2048, device="cuda")))


@COLLECTION.program()
def growing_batches() -> None:
    """Sequences that grow by a fraction each step, and leave holes."""
    model = perceptron(1024, 8)
    optimizer = torch.optim.AdamW(model.parameters())
    size = 4096
    while True:
        inputs = torch.randn(size, 1024, device="cuda")
        fit(model, optimizer, inputs, steps=1)
        size = size * 9 // 8 + 1


@COLLECTION.program()
def first_step_of_the_optimizer() -> None:
    """A model whose gradients fit and whose optimizer's states do not."""
    model = nn.Sequential(*(nn.Linear(16384, 16384, bias=False, device="cuda") for _ in range(5)))
    train(
        torch.optim.AdamW(model.parameters()),
        lambda: model(torch.randn(8, 16384, device="cuda")).sum(),
    )


@COLLECTION.program()
def model_too_large() -> None:
    """A model that does not fit, moved to the GPU part by part."""
    layers = []
    while True:
        layers.append(nn.Linear(8192, 8192, device="cuda"))


@COLLECTION.program()
def one_tensor_too_large() -> None:
    """A single tensor larger than the GPU."""
    kept = torch.zeros(GIB, device="cuda")
    torch.zeros(8 * GIB, device="cuda").add_(kept.sum())


@COLLECTION.program()
def scores_too_large() -> None:
    """A matrix of scores of a long sequence."""
    for length in (4096, 8192, 16384, 32768, 65536):
        query = torch.randn(4, 8, length, 64, device="cuda", dtype=torch.bfloat16)
        (query @ query.transpose(-2, -1)).softmax(-1)


@COLLECTION.program()
def holes() -> None:
    """Free memory in pieces that are too small."""
    pieces = [torch.empty(30 * 2**20, dtype=torch.uint8, device="cuda") for _ in range(500)]
    kept = pieces[::2]
    del pieces
    torch.empty(2 * GIB, dtype=torch.uint8, device="cuda")
    split = [torch.empty(12 * 2**20, dtype=torch.uint8, device="cuda") for _ in range(300)]
    del kept
    torch.empty(14 * GIB, dtype=torch.uint8, device="cuda")
    del split


@COLLECTION.program()
def retry_in_the_allocator() -> None:
    """Requests that fit only once the allocator has given its cache back by itself."""
    for size in (1, 3, 5, 7, 9, 11, 13, 15):
        torch.empty(size * GIB, dtype=torch.uint8, device="cuda")


@COLLECTION.program()
def fraction() -> None:
    """A limit of half of the GPU."""
    torch.cuda.set_per_process_memory_fraction(0.5)
    kept = []
    while True:
        kept.append(torch.empty(300 * 2**20, dtype=torch.uint8, device="cuda"))


@COLLECTION.program()
def error_that_is_kept() -> None:
    """An error whose traceback holds what the failed call had, and a second try."""

    def fill() -> None:
        held = [torch.empty(GIB, dtype=torch.uint8, device="cuda") for _ in range(10)]
        torch.empty(8 * GIB, dtype=torch.uint8, device="cuda")
        del held

    kept = None
    try:
        fill()
    except torch.OutOfMemoryError as error:
        kept = error
    try:
        fill()
    except torch.OutOfMemoryError:
        kept.__traceback__ = None  # type: ignore[union-attr]  # the first try failed
    torch.cuda.empty_cache()
    torch.empty(14 * GIB, dtype=torch.uint8, device="cuda")


@COLLECTION.program()
def in_backward() -> None:
    """A backward that needs more than its forward left."""
    inputs = torch.randn(GIB + GIB // 4, device="cuda", requires_grad=True)
    inputs.exp().sum().backward()


@COLLECTION.program()
def in_recomputation() -> None:
    """A checkpointed block that does not fit when it is computed again."""
    block = perceptron(1024, 24)
    inputs = torch.randn(100_000, 1024, device="cuda", requires_grad=True)
    loss = checkpoint(block, inputs, use_reentrant=False)
    loss.sum().backward()
