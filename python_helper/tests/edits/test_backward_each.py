"""Parts of a sum that go backward one by one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gpu_headroom.edits.backward_each import backward_each
from tests.edits.cases import check, refuses_hostile, table

SUMS = table(
    """
for step in range(3):
    optimizer.zero_grad()
    loss = 0
    for _ in range(16):
        x, y = batch()
        loss = loss + f(model(x), y) / 16
    loss.backward()
    optimizer.step()
--->
for step in range(3):
    optimizer.zero_grad()
    loss = 0
    for _ in range(16):
        x, y = batch()
        part = f(model(x), y) / 16
        part.backward()
        loss = loss + part.detach()
    optimizer.step()
====
def step(domains):
    loss = 0.0
    for x, y in domains:
        with autocast("cuda"):
            loss += f(model(x), y)
    optimizer.zero_grad()
    scaler.scale(loss / len(domains)).backward()
    scaler.step(optimizer)
    return loss.item()
--->
def step(domains):
    loss = 0.0
    optimizer.zero_grad()
    for x, y in domains:
        with autocast("cuda"):
            part = f(model(x), y)
        scaler.scale(part / len(domains)).backward()
        loss += part.detach()
    scaler.step(optimizer)
    return loss.item()
====
for x in parts:
    loss = f(model(x)) + loss
accelerator.backward(2 * loss)
--->
for x in parts:
    part = f(model(x))
    accelerator.backward(2 * part)
    loss = part.detach() + loss
====
for x in parts:
    out, h = rnn(x, h)
    loss += f(out)
loss.backward()
====
for x in parts:
    loss += f(shared, x)
loss.backward()
====
for x in parts:
    loss += f(model(x))
(loss ** 2).backward()
====
for x in parts:
    loss += f(model(x))
(1 / loss).backward()
====
for x in parts:
    loss += f(model(x))
loss = loss / n
loss.backward()
====
for x in parts:
    loss += f(model(x))
    outs.append(x)
loss.backward()
====
for x in parts:
    loss += f(model(x))
loss.backward(retain_graph=True)
====
for x in parts:
    loss += f(model(x))
loss.backward()
other.backward()
====
for x in parts:
    loss += f(model(x))
optimizer.step()
loss.backward()
====
for x in parts:
    if x:
        loss += f(model(x))
loss.backward()
====
for x in parts:
    loss += f(model(x))
    loss += g(model)
loss.backward()
====
loss += f(model(x))
loss.backward()
====
for x in parts:
    loss += f(model(x))
"""
)


@pytest.mark.parametrize(("before", "after"), SUMS)
def test_goes_backward_with_each_part(before: str, after: str | None) -> None:
    """Where rounds have no graph in common."""
    check(backward_each("loss", ["shared"]), before, after)


def test_has_the_same_gradients() -> None:
    """And the same sum."""
    source = """
loss = 0
for x in parts:
    loss = loss + model(x).square().mean()
model.zero_grad()
(loss / 4).backward()
"""
    found = []
    for code in (source, backward_each("loss")(source)):
        assert code is not None
        torch.manual_seed(0)
        names: dict[str, Any] = {"model": torch.nn.Linear(8, 8), "parts": torch.randn(4, 3, 8)}
        exec(code, names)  # noqa: S102  a cell of this test
        found.append((names["model"].weight.grad, names["loss"].detach()))
    (grad, loss), (other_grad, other_loss) = found
    assert torch.allclose(grad, other_grad)
    assert torch.allclose(loss, other_loss)


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(backward_each("losses"))
