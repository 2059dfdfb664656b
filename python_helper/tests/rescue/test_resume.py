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
    values: list[list[float]] = names["nets"]["it's"].weight.tolist()
    return values


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
    torch.save({name: part.state_dict() for name, part in parts.items()}, file)
    markers = ["optimizer"] if kind == "Adam" else []
    code = resume_code(parts, markers, file, "cell [3] failed", plain=True)
    there = training(kind, seed=1)
    if not markers:
        run(code, there)
        assert weights(there) != weights(saved)
        code = code.replace("is_new = False", "is_new = True")
    run(code, there)
    assert weights(there) == weights(saved)
    assert not {"_resume", "torch", "state"} & there.keys()
    step(there)
    trained = weights(there)
    if markers:
        run(code, there)
        assert weights(there) == trained
