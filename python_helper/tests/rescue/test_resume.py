"""The cell that goes on from a training: what it loads, and when it loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.rescue.resume import resume_code

if TYPE_CHECKING:
    from pathlib import Path


def training(kind: str, seed: int = 0) -> dict[str, Any]:
    """Make the names of a person's who trains, as setup cells would."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(3, 2)
    return {"nets": {"it's": model}, "optimizer": getattr(torch.optim, kind)(model.parameters())}


def step(names: dict[str, Any]) -> None:
    """Train once."""
    names["nets"]["it's"](torch.randn(5, 3)).sum().backward()
    names["optimizer"].step()


def weights(names: dict[str, Any]) -> list[list[float]]:
    """Return what was trained."""
    found: list[list[float]] = names["nets"]["it's"].weight.tolist()
    return found


def run(code: str, names: dict[str, Any]) -> None:
    """Run a cell."""
    exec(code, names)  # noqa: S102  as a notebook does


@pytest.mark.parametrize("kind", ["Adam", "SGD"])
def test_loads_into_what_is_new_and_once(kind: str, tmp_path: Path) -> None:
    """An optimizer that remembers nothing cannot tell: there a person has to say it."""
    saved = training(kind)
    step(saved)
    file = str(tmp_path / "it's.pt")
    parts = {'nets["it\'s"]': saved["nets"]["it's"], "optimizer": saved["optimizer"]}
    torch.save({name: each.state_dict() for name, each in parts.items()}, file)
    told_by = ["optimizer"] if kind == "Adam" else []
    code = resume_code(parts, told_by, file, "cell [3] failed", plain=True)
    there = training(kind, seed=1)
    if not told_by:
        run(code, there)
        assert weights(there) != weights(saved)
        code = code.replace("is_new = False", "is_new = True")
    run(code, there)
    assert weights(there) == weights(saved)
    assert not {"_resume", "torch", "state"} & there.keys()
    step(there)
    trained = weights(there)
    if told_by:
        run(code, there)
        assert weights(there) == trained
