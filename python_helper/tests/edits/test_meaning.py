"""What changed code computes, with PyTorch: the same as before, with less kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.edits.accumulate import accumulated
from gpu_headroom.edits.autocast import autocast, scaled
from gpu_headroom.edits.checkpointing import (
    checkpointed_blocks,
    checkpointed_sequential,
    not_checkpointed,
)
from gpu_headroom.edits.chunks import compared_in_parts, predicted_in_parts
from gpu_headroom.edits.clear_gradients import gradients_cleared
from gpu_headroom.edits.delete import deleted_in_loop
from gpu_headroom.edits.dtype import half_precision, single_precision
from gpu_headroom.edits.eval_mode import evaluating
from gpu_headroom.edits.keep_numbers import detached_state, kept
from gpu_headroom.edits.model_memory import frozen
from gpu_headroom.edits.no_grad import without_gradients
from gpu_headroom.edits.optimizer import factored, one_by_one
from gpu_headroom.edits.per_batch import moved_per_batch, slices_moved
from gpu_headroom.edits.rewrite import Anchor, all_of
from gpu_headroom.edits.same_shape import squeezed
from tests.edits.cases import here

if TYPE_CHECKING:
    from gpu_headroom.edits.rewrite import Rewrite

START = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.0), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
X, y = torch.randn(64, 8), torch.randn(64, 4)
"""
TRAIN = """
loader = list(zip(X.split({rows}), y.split({rows})))
losses = []
for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        out = model(xb)
        loss = F.mse_loss(out, yb)
        loss.backward()
        optimizer.step()
        losses.append(loss)
"""


def run(source: str, *rewrites: Rewrite, start: str = START) -> dict[str, Any]:
    """Run a cell after rewrites of it, each of which has to change something."""
    for rewrite in rewrites:
        changed = rewrite(source)
        assert changed is not None
        source = changed
    names: dict[str, Any] = {}
    exec(start + source, names)  # noqa: S102  a cell of this file
    return names


def weights(names: dict[str, Any]) -> Any:
    """Return all parameters of the model, in one vector."""
    return torch.cat([each.flatten() for each in names["model"].parameters()])


def test_accumulation_keeps_the_effective_batch() -> None:
    """Four batches of four train as one of sixteen does."""
    whole = weights(run(TRAIN.format(rows=16)))
    parts = weights(run(TRAIN.format(rows=4), accumulated(4)))
    without = weights(run(TRAIN.format(rows=4)))
    assert torch.allclose(whole, parts, atol=1e-6)
    assert not torch.allclose(whole, without, atol=1e-3)


def test_what_a_loader_leaves_over_stays_out() -> None:
    """Five batches: the optimizer steps after four; the gradients of the fifth go."""
    source = TRAIN.format(rows=13)
    last = source.replace("        optimizer.zero_grad()\n", "").replace(
        "optimizer.step()\n", "optimizer.step()\n        optimizer.zero_grad()\n"
    )
    counted = """
steps, old = 0, optimizer.step
def step():
    global steps
    steps += 1
    old()
optimizer.step = step
"""
    for each in (source, last):
        names = run(each, accumulated(4), start=START + counted)
        assert names["steps"] == 3
    assert torch.equal(weights(run(source, accumulated(4))), weights(run(last, accumulated(4))))


def test_losses_have_no_graph() -> None:
    """And the training is the same."""
    before, after = (
        run(TRAIN.format(rows=16)),
        run(TRAIN.format(rows=16), kept("losses", ".detach()")),
    )
    assert not any(each.requires_grad for each in after["losses"])
    assert torch.equal(torch.stack(before["losses"]), torch.stack(after["losses"]))


def test_computes_in_bfloat16() -> None:
    """The forward pass; the weights stay as wide as they are."""
    names = run(TRAIN.format(rows=16), autocast(device="cpu"))
    assert names["out"].dtype == torch.bfloat16
    assert weights(names).dtype == torch.float32


CLIPPED = TRAIN.replace(
    "optimizer.step()",
    "nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n        optimizer.step()",
)
EVERY_SECOND = """
losses = []
for i, (xb, yb) in enumerate(zip(X.split(8), y.split(8))):
    out = model(xb)
    loss = F.mse_loss(out, yb)
    (loss / 2).backward()
    if i % 2:
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        optimizer.zero_grad()
    losses.append(loss)
"""
GOES_ON = EVERY_SECOND.replace(
    "    if i % 2:\n", "    losses.append(loss)\n    if i % 2 == 0:\n        continue\n"
)
GOES_ON = GOES_ON.replace("\n        nn", "\n    nn").replace("\n        opt", "\n    opt")


@pytest.mark.parametrize(
    "source", [TRAIN.format(rows=16), CLIPPED.format(rows=16), EVERY_SECOND, GOES_ON]
)
def test_computes_in_float16_with_a_scaler(source: str) -> None:
    """The steps are those of before, as near as three digits are: gradients are scaled nowhere."""
    in_float16 = autocast(device="cpu", dtype="float16")
    before = run(source)
    after = run(source, all_of(in_float16, scaled('torch.amp.GradScaler("cpu")', "scaler")))
    assert after["out"].dtype == torch.float16
    assert weights(after).dtype == torch.float32
    (first, *_, last), losses = before["losses"], after["losses"]
    assert abs(last - losses[-1]) < 0.01 * abs(last - first)
    moved = (weights(before) - weights(run("pass"))).norm()
    assert (weights(before) - weights(after)).norm() < 0.02 * moved


def test_several_edits_of_one_loop() -> None:
    """Each finds its place in what the others left."""
    names = run(
        TRAIN.format(rows=16),
        accumulated(2),
        autocast(device="cpu"),
        kept("losses", ".detach().cpu()"),
        deleted_in_loop(Anchor(7, "out = model(xb)"), "out"),
    )
    assert "out" not in names
    assert not any(each.requires_grad for each in names["losses"])


EVALUATE = """
outs = []
for xb in X.split(16):
    outs.append(model(xb))  # here
"""


def test_evaluates_without_a_graph() -> None:
    """The same predictions."""
    line = here(EVALUATE)
    names = run(EVALUATE, without_gradients(line), evaluating(line, "model"))
    assert not any(each.requires_grad for each in names["outs"])
    assert names["model"].training  # as before
    assert torch.equal(torch.cat(names["outs"]), torch.cat(run(EVALUATE)["outs"]))


def test_a_hidden_state_has_no_past() -> None:
    """The gradient reaches one step back only."""
    source = """
rnn = nn.GRU(8, 8)
h = torch.zeros(1, 8, requires_grad=True)
first = h
for x in X.split(8):
    out, h = rnn(x, h)
out.sum().backward()
"""
    assert run(source)["first"].grad is not None
    assert run(source, detached_state("h"))["first"].grad is None


BLOCKS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])

    def forward(self, x):
        for block in self.blocks:
            x = torch.tanh(block(x))
        return x

model = Net()
model(X).sum().backward()
grads = [each.grad for each in model.parameters()]
"""


def test_checkpointed_blocks_have_the_same_gradients() -> None:
    """They are computed twice."""
    before, after = run(BLOCKS)["grads"], run(BLOCKS, checkpointed_blocks())["grads"]
    assert all(torch.allclose(a, b) for a, b in zip(before, after, strict=True))


def test_checkpointed_segments_have_the_same_gradients() -> None:
    """Of a sequence; and back, for a checkpoint around all of it."""
    source = "loss = model(X).sum()\nloss.backward()\n"
    expected = run(source)["model"][0].weight.grad
    found = run(source, checkpointed_sequential("model", 2))["model"][0].weight.grad
    assert torch.allclose(expected, found)
    whole = (
        "from torch.utils.checkpoint import checkpoint\n"
        "loss = checkpoint(model, X, use_reentrant=False).sum()\nloss.backward()\n"
    )
    assert torch.allclose(expected, run(whole, not_checkpointed("model"))["model"][0].weight.grad)


def test_in_parts_is_the_same() -> None:
    """Predictions, and what is nearest."""
    source = "with torch.no_grad():\n    out = model(X)  # here\n"
    found = run(source, predicted_in_parts(here(source), "model", 10))["out"]
    assert torch.allclose(found, run(source)["out"], atol=1e-6)
    source = "B = X + 1\nnear = torch.cdist(X, B).argmin(dim=1)  # here\n"
    found = run(source, compared_in_parts(here(source), 10, tables=("X", "B")))["near"]
    assert torch.equal(found, run(source)["near"])


def test_moves_each_batch() -> None:
    """The loop sees the same."""
    source = (
        "X = X.to('cpu')\nseen = []\nfor i in range(0, 64, 16):\n    seen.append(X[i : i + 16])\n"
    )
    found = run(source, moved_per_batch("X"))
    assert torch.equal(torch.cat(found["seen"]), found["X"])
    source = "for x in X:\n    last = x\n"
    assert run(source, slices_moved({"X": '.to("meta")'}))["last"].device.type == "meta"


def test_half_as_wide() -> None:
    """Models and data."""
    source = "model = nn.Linear(8, 8)\n"
    assert run(source, half_precision("model"))["model"].weight.dtype == torch.float16
    source = "z = torch.zeros(3, dtype=torch.float64).double()\n"
    assert run(source, single_precision("z"))["z"].dtype == torch.float32


def test_frozen() -> None:
    """A part, or all but a part."""
    source = "model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))\n"
    assert not run(source, frozen("model[1]"))["model"][1].weight.requires_grad
    parts = run(source, frozen("model", "model[1]"))["model"]
    assert [each.weight.requires_grad for each in parts] == [False, True]


LATE = """
for xb, yb in zip(X.split(16), y.split(16)):
    held = [each.grad for each in model.parameters() if each.grad is not None]
    loss = F.mse_loss(model(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_clears_gradients_earlier() -> None:
    """The training is the same."""
    assert torch.equal(weights(run(LATE)), weights(run(LATE, gradients_cleared())))


def test_one_parameter_after_the_other() -> None:
    """The step is the same; Adafactor trains as well."""
    source = (
        "optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)\n"
        "F.mse_loss(model(X), y).backward()\noptimizer.step()\n"
    )
    assert torch.allclose(weights(run(source)), weights(run(source, one_by_one())), atol=1e-6)
    assert type(run(source, factored())["optimizer"]).__name__ == "Adafactor"


def test_a_column_in_the_shape_of_a_row() -> None:
    """The mean over rows, not over all pairs."""
    source = "a, b = X[:, :1], y[:, 0]\nloss = ((a - b) ** 2).mean()  # here\n"
    names = run(source, squeezed(here(source), "a", "b"))
    assert torch.allclose(names["loss"], ((names["a"][:, 0] - names["b"]) ** 2).mean())
