"""What a report says of programs of other people's shapes: by what ran, with a remedy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.advice.registry import diagnose
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.oom import evidence as evidences

if TYPE_CHECKING:
    from tests.notebook import Notebook

GPU = "1 GiB"
START = """
import torch
from collections import deque
from torch import nn
net = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(256, 256), nn.ReLU())]).cuda().eval()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
"""
STREAM = """
def stream(count):
    with torch.no_grad():
        for _ in range(count):
            yield net(torch.rand(20_000, 256, device="cuda"))
"""
ROWS = "net.requires_grad_(False)\nrows = torch.rand(512, 256).cuda()"
TRAIN = """
for x in batches:
    x = x.cuda()
    loss = net(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
WINDOWS = """
class Windows:
    window_batch_size = int("400_000")
    def __call__(self, waves):
        with torch.no_grad():
            return [net(each.cuda()) for each in waves.split(self.window_batch_size)]
windows, waves = Windows(), torch.rand(800_000, 256)
"""
ADAPTED = """
for step in range(90):
    loss = net(x * scale).square().mean()
    scale = scale - torch.autograd.grad(loss, scale, create_graph=True)[0]
net(x * scale).sum().backward()
"""
MOVED = """
import torch.nn.utils as utils
layers = [utils.skip_init(nn.Linear, 2048, 2048) for _ in range(90)]
"""
LOADED = """
def load(count, keep_on_gpu=True):
    images = torch.empty(count, 2**20)
    return images.cuda() if keep_on_gpu else images
"""
GRAPH = """
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)
    def forward(self, x, edges):
        messages = torch.tanh(self.inner(x)[edges[0]])
        return torch.zeros_like(x).index_add(0, edges[1], messages)
layer = Layer().cuda()
nodes = torch.rand(1000, 64, device="cuda")
edges = torch.randint(0, 1000, (2, 1_000_000), device="cuda")
batch_size = 16
"""


def fail(notebook: Notebook, *cells: str) -> tuple[str, str, dict[str, str]]:
    """Run cells of which the last runs out of memory; return rule, sentences and examples."""
    for cell in cells[:-1]:
        assert notebook.run(cell).success, notebook.printed
    result = notebook.run(cells[-1])
    assert not result.success
    causes, offers = diagnose(evidences.measure(notebook.failure(result), Turn(30.0)))
    first = causes[0]
    sentences = first["claim"]["text"] + first["evidence"]["text"]
    return first["rule"], sentences, {offer.id: offer.shown.example or "" for offer in offers}


@pytest.mark.parametrize(
    ("cells", "rule", "remedy", "example"),
    [
        pytest.param(
            [STREAM, "kept = torch.cat(list(stream(400)))"],
            "kept-tensors",
            "to-host",
            "kept = [each.cpu() for each in stream(400)]",
            id="list-of-a-generator",
        ),
        pytest.param(
            [
                "waves = [torch.rand(10**6) for _ in range(5)] * 80",
                "all = [w.cuda() * 2 for w in waves]",
            ],
            "kept-tensors",
            "to-host",
            "all = [(w.cuda() * 2).cpu() for w in waves]",
            id="comprehension-without-a-model",
        ),
        pytest.param(
            ["table = torch.rand(400_000, 256)", "with torch.no_grad():\n    net(table.cuda())"],
            "activations",
            "call-in-parts",
            "net(table[n : n + ",
            id="own-call",
        ),
        pytest.param(
            [
                "points = torch.rand(30_000, 8, device='cuda')",
                "torch.cdist(points, points).topk(3)",
            ],
            "huge-request",
            "split-request",
            "for part in points.split(1024):\n    result = torch.cdist(part, points)",
            id="pairs",
        ),
        pytest.param(
            ["q = torch.rand(4, 9000, 32, device='cuda')", "q @ q.transpose(-1, -2)"],
            "huge-request",
            "split-request",
            "for part in q.split(512, dim=1):",
            id="attention",
        ),
        pytest.param(
            ["n = 40_000", "torch.ones(n, n, device='cuda')"],
            "huge-request",
            "split-request",
            "for start in range(0, 40000, 512)",
            id="mask",
        ),
        pytest.param(
            ["images = [torch.rand(4_000, 256)] * 100", "net(torch.stack(images).cuda())"],
            "activations",
            "call-in-parts",
            "net(torch.stack(images[n : n + ",
            id="list-of-images",
        ),
        pytest.param(
            [
                "table = torch.rand(450_000, 256).cuda()",
                TRAIN.replace("in batches", "in table.split(30_000)"),
            ],
            "data-on-gpu",
            "move-per-batch",
            "table = table.cpu()",
            id="slices-of-data",
        ),
        pytest.param(
            [LOADED, "images = load(1_000)"],
            "huge-request",
            "keep-on-host",
            "load(1_000, keep_on_gpu=False)",
            id="option-of-a-call",
        ),
        pytest.param(
            [MOVED, "model = nn.Sequential(*layers).cuda()"],
            "model-too-large",
            "lighter-model",
            "",
            id="model-on-its-way",
        ),
        pytest.param(
            [GRAPH, "layer(nodes, edges).sum().backward()"],
            "activations",
            "sample-neighbors",
            "NeighborLoader",
            id="whole-graph",
        ),
        pytest.param(
            [
                "sizes = (40, 50, 30, 900)\nbatches = [torch.rand(100, n, 256) for n in sizes]",
                TRAIN,
            ],
            "activations",
            "shorter-batch",
            "sample[:450]",
            id="longest-batch",
        ),
    ],
)
def test_names_a_cause_and_a_remedy_in_the_names_of_the_notebook(
    notebook: Notebook, cells: list[str], rule: str, remedy: str, example: str
) -> None:
    """Where no number sets the batch there is a remedy all the same."""
    result, _, examples = fail(notebook, *cells)
    assert result == rule
    assert example in examples[remedy]
    assert "smaller-batch" not in examples


def test_names_the_attribute_that_sets_the_batch(notebook: Notebook) -> None:
    """No literal has the number, and an object of the person's has it."""
    rule, sentences, examples = fail(notebook, WINDOWS, "windows(waves)")
    assert rule == "activations"
    assert "400000 samples (`window_batch_size`" in sentences
    assert examples["smaller-batch"].startswith("windows.window_batch_size = ")
    assert "call-in-parts" not in examples


def test_frees_no_value_of_a_graph_that_goes_on(notebook: Notebook) -> None:
    """What is made from itself keeps the graphs of all rounds, whoever else is deleted."""
    start = "x = torch.rand(1_000, 256).cuda()\nscale = torch.ones(256).cuda().requires_grad_()"
    _, _, examples = fail(notebook, start, ADAPTED)
    assert "delete-leftovers" not in examples


def test_frees_no_traceback_for_more_than_there_is(notebook: Notebook) -> None:
    """No GPU of its size has room for the request."""
    _, _, examples = fail(notebook, LOADED, "images = load(1_000)")
    assert "free-traceback" not in examples


def test_says_how_much_longer_this_batch_is_than_the_one_before(notebook: Notebook) -> None:
    """The graph of the round before knows the shapes that it had."""
    sizes = "sizes = (40, 50, 30, 900)\nbatches = [torch.rand(100, n, 256) for n in sizes]"
    _, sentences, _ = fail(notebook, sizes, TRAIN)
    assert "30 times as long as the one before it: 900 for 30" in sentences


@pytest.mark.parametrize("sizes", ["(300, 300, 900)", "(900,)"])
def test_says_so_of_the_round_before_alone(notebook: Notebook, sizes: str) -> None:
    """Not in the first round; and by a whole number of times."""
    _, sentences, _ = fail(notebook, f"batches = [torch.rand(100, n, 256) for n in {sizes}]", TRAIN)
    assert ("3 times as long" in sentences) is (len(sizes) > len("(900,)"))


@pytest.mark.parametrize(
    ("container", "loop", "most"),
    [
        ("deque(maxlen=50_000)", "for n in range(200_000):", 50_000),
        ("[]", "for n in range(20_000):", 20_000),
        ("[]", "for n, _ in enumerate(rounds):", 30_000),
        ("[]", "while True:", None),
    ],
)
def test_says_what_a_container_will_need_at_its_end(
    notebook: Notebook, container: str, loop: str, most: int | None
) -> None:
    """By its own bound, which a subclass of `deque` may not have, else by the loop around."""
    fill = f"{loop}\n    kept.append(net(rows))"
    rule, sentences, _ = fail(notebook, f"{ROWS}\nkept = {container}\nrounds = [0] * 30_000", fill)
    assert rule == "kept-tensors"
    assert (f"the {most} that there will be need" in sentences) is (most is not None)


def test_leaves_alone_where_gradients_are_the_purpose(notebook: Notebook) -> None:
    """An input that requires grad: no `no_grad`, but parts that go backward one by one."""
    attribute = """
def attribute(x, steps):
    path = (torch.linspace(0, 1, steps, device="cuda")[:, None] * x).requires_grad_()
    out = net(path).sum()
    return torch.autograd.grad(out, path)[0]
attribute(torch.rand(1, 256, device="cuda"), 900_000 // 3)
"""
    rule, _, examples = fail(notebook, attribute)
    assert rule == "activations"
    assert "no-grad" not in examples
    assert "up to the backward pass" in examples["call-in-parts"]


def test_splits_all_that_is_as_long(notebook: Notebook) -> None:
    """A perturbation has as many rows as what it is added to, and requires grad."""
    data = "x = torch.rand(120_000, 256, device='cuda')\ndelta = torch.zeros_like(x[:, :1])"
    attack = "delta.requires_grad_()\nnet(x + delta).mean().backward()"
    _, _, examples = fail(notebook, data, attack)
    assert "no-grad" not in examples
    assert re.search(
        r"net\(x\[n : n \+ \d+\] \+ delta\[n : n \+ \d+\]\)", examples["call-in-parts"]
    )


def test_frees_no_name_that_the_failing_line_reads(notebook: Notebook) -> None:
    """What a loop hands on from round to round is no left-over of it."""
    _, _, examples = fail(
        notebook,
        "x = torch.rand(60_000, 256, device='cuda')",
        """
for n in range(4):
    x = net(torch.cat([x, x])) + 1
""",
    )
    assert "delete-leftovers" not in examples
