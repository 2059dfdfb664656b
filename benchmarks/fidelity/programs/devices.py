"""Several GPUs, threads, streams, graphs, and settings of the allocator."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import nn
from torch.nn.parallel import comm

from .program import Collection
from .training import fit, perceptron, train

COLLECTION = Collection("GPUs, threads, streams and settings")
TWO = ("16GiB", "16GiB")


@COLLECTION.program(gpus=TWO)
def model_over_two_gpus() -> None:
    """A model whose halves are on two GPUs."""
    first, second = perceptron(device="cuda:0"), perceptron(device="cuda:1")
    optimizer = torch.optim.AdamW([*first.parameters(), *second.parameters()])
    inputs = torch.randn(2048, 1024, device="cuda:0")
    train(optimizer, lambda: second(first(inputs).to("cuda:1")).square().mean())


@COLLECTION.program(gpus=TWO)
def data_parallel() -> None:
    """DataParallel on two GPUs."""
    model = nn.DataParallel(perceptron())
    inputs = torch.randn(4096, 1024, device="cuda")
    fit(model, torch.optim.AdamW(model.parameters()), inputs)


@COLLECTION.program(gpus=TWO)
def data_parallel_with_buffers() -> None:
    """DataParallel of a convolutional network with normalisation."""
    body = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.Conv2d(64, 64, 3))
    model = nn.DataParallel(body.cuda())
    images = torch.randn(32, 3, 64, 64)
    train(torch.optim.SGD(model.parameters(), momentum=0.9), lambda: model(images).square().mean())


@COLLECTION.program()
def data_parallel_on_one_gpu() -> None:
    """DataParallel where there is one GPU."""
    model = nn.DataParallel(perceptron())
    inputs = torch.randn(4096, 1024, device="cuda")
    fit(model, torch.optim.AdamW(model.parameters()), inputs)


@COLLECTION.program(gpus=("16GiB", "2GiB"))
def out_of_memory_in_a_replica() -> None:
    """DataParallel on two GPUs of which the second is too small."""
    model = nn.DataParallel(perceptron(4096))
    train(
        torch.optim.SGD(model.parameters()),
        lambda: model(torch.randn(2**16, 4096, device="cuda")).sum(),
    )


@COLLECTION.program(gpus=TWO)
def copies_between_gpus() -> None:
    """Copies from GPU to GPU, scattered, gathered and broadcast."""
    tensor = torch.randn(4096, 1024, device="cuda:0")
    (tensor.to("cuda:1") * 2).to("cuda:0")
    torch.zeros(4096, 1024, device="cuda:1").copy_(tensor)
    parts = comm.scatter(tensor, [0, 1])
    comm.gather(parts, destination=1)
    comm.reduce_add(comm.broadcast(tensor, [0, 1]), 0)


@COLLECTION.program(gpus=TWO)
def model_moved_between_gpus() -> None:
    """A model that moves to the second GPU with its gradients."""
    model = perceptron()
    model(torch.randn(512, 1024, device="cuda")).sum().backward()
    model.to("cuda:1")
    model(torch.randn(512, 1024, device="cuda:1")).sum().backward()


@COLLECTION.program(gpus=TWO)
def second_gpu_runs_out() -> None:
    """Copies that fill the second GPU while the first has room."""
    tensor = torch.empty(2**30, dtype=torch.uint8, device="cuda:0")
    kept = []
    while True:
        kept.append(tensor.to("cuda:1"))


@COLLECTION.program()
def threads() -> None:
    """A thread that trains after the other has ended, and one beside none."""

    def work() -> None:
        model = perceptron()
        inputs = torch.randn(512, 1024, device="cuda")
        fit(model, torch.optim.Adam(model.parameters()), inputs)

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    work()


@COLLECTION.program()
def pool_of_threads() -> None:
    """Predictions in a thread of a pool, one after the other."""
    model = perceptron().eval()

    def predict(number: int) -> None:
        with torch.inference_mode():
            model(torch.randn(64 * number, 1024, device="cuda")).cpu()

    with ThreadPoolExecutor(1) as pool:
        list(pool.map(predict, range(1, 9)))


@COLLECTION.program()
def streams() -> None:
    """Batches that are copied on a stream of their own."""
    model = perceptron()
    side = torch.cuda.Stream()
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(4):
        with torch.cuda.stream(side):
            batch = torch.randn(2048, 1024).pin_memory().to("cuda", non_blocking=True)
        torch.cuda.current_stream().wait_stream(side)
        batch.record_stream(torch.cuda.current_stream())
        fit(model, optimizer, batch, steps=1)


@COLLECTION.program()
def training_on_a_stream() -> None:
    """Training on a stream of its own, after a step on the usual one."""
    model = perceptron()
    inputs = torch.randn(512, 1024, device="cuda")
    optimizer = torch.optim.SGD(model.parameters())
    fit(model, optimizer, inputs, steps=1)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        fit(model, optimizer, inputs, steps=2)


@COLLECTION.program()
def captured_graph() -> None:
    """A step that is captured as a graph, and replayed."""
    model = perceptron()
    inputs = torch.randn(512, 1024, device="cuda")
    optimizer = torch.optim.SGD(model.parameters())
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        fit(model, optimizer, inputs, steps=2)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad()
    with torch.cuda.graph(graph):
        model(inputs).sum().backward()
        optimizer.step()
    graph.replay()


@COLLECTION.program()
def graphed_callable() -> None:
    """A model whose forward and backward are captured by `make_graphed_callables`."""
    model = perceptron()
    inputs = torch.randn(512, 1024, device="cuda")
    graphed: Any = torch.cuda.make_graphed_callables(model, (inputs,))
    fit(graphed, torch.optim.SGD(model.parameters()), inputs)
