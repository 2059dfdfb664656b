"""What `make edits` notices: a difference of each kind has to be seen, and rounding must not be."""

from __future__ import annotations

import pytest

from benchmarks.edits.compare import differences
from benchmarks.edits.trial import run

PROGRAM = """import random, torch
from torch import nn

torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.StepLR(opt, 2)
history, scale = {"loss": []}, 1.0
def count():
    return len(history["loss"])
for x in torch.ones(4, 2, 3):
    loss = model(x).pow(2).mean() * scale
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    history["loss"].append(loss.item())
print(f"{loss.item():.4f}")
"""


def found(changed: str) -> list[str]:
    """Return what differs where a program is changed."""
    return differences(run({"one": PROGRAM}), run({"one": changed}))


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("opt.step()", "opt.step() if x.sum() < 0 else None", "model"),
        ("sched.step()", "pass", "sched"),
        ("    sched", "    model.eval()\n    sched", "model.training"),
        ("    opt.zero_grad()\n", "", "opt"),
        ("print(", "torch.rand(1); print(", "the random state of torch"),
        ("print(", "random.random(); print(", "the random state of Python"),
        ("print(", "print('more'); print(", "printed"),
        ("loss.item())\n", "loss.item())\nhistory['loss'].append(1)\n", "history"),
        ("print(", "new = 1; print(", "new: new"),
        ("print(", "loss = loss.detach(); del x; print(", "x: gone"),
        ("print(", "opt.zero_grad(); print(", "model.0.weight.grad"),
        ("print(", "torch.set_grad_enabled(False); print(", "whether gradients are on"),
        ("print(", "raise ValueError; print(", "fails"),
    ],
)
def test_a_difference_is_seen(old: str, new: str, name: str) -> None:
    """By the name of what differs."""
    assert old in PROGRAM
    assert any(each.startswith(name) for each in found(PROGRAM.replace(old, new)))


def test_what_is_equal_and_what_is_rounding_are_none() -> None:
    """A sum in another order is the same sum."""
    assert found(PROGRAM) == []
    assert found(PROGRAM.replace("* scale", "/ 3 * 3")) == []


def test_a_program_that_does_not_end_is_ended() -> None:
    """By an exception that no `except Exception` catches."""
    endless = "while True:\n    try:\n        pass\n    except Exception:\n        pass"
    assert run({"one": endless}, limit_s=0.3).failed.startswith("OutOfTimeError")


def test_magics_awaits_and_what_is_displayed() -> None:
    """As in a notebook: what ends in `;` is not kept."""
    cells = {
        "a": "%time x = 1\n!ls\nimport asyncio",
        "b": "await asyncio.sleep(0)\nx + 1",
        "c": "7;",
    }
    outcome = run(cells)
    assert not outcome.failed
    assert outcome.namespace["x"] == 1
    assert outcome.namespace["Out"] == {2: 2}
