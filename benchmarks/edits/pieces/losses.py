"""Losses: libraries' and own formulas, with and without what is added to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


@dataclass(frozen=True)
class Loss:
    """`setup` makes it, `of` is the expression of it with `{out}` and `{y}`."""

    setup: str
    of: str
    classes: bool


def loss(draw: Draw) -> Loss:
    """Write a loss."""
    kind = draw.pick("loss", [*_LOSSES, "mean", "mean", "cross", "cross"])
    found = _LOSSES[kind]
    extra = draw.pick("regulariser", ["", "", "", "", *_REGULARISERS])
    return Loss(found.setup, found.of + extra, found.classes)


_LOSSES = {
    "mean": Loss("loss_fn = nn.MSELoss()", "loss_fn({out}, {y})", classes=False),
    "sum": Loss("criterion = nn.MSELoss(reduction='sum')", "criterion({out}, {y})", classes=False),
    "none": Loss(
        "criterion = nn.MSELoss(reduction='none')", "criterion({out}, {y}).mean()", classes=False
    ),
    "functional": Loss("", "F.mse_loss({out}, {y})", classes=False),
    "cross": Loss("criterion = nn.CrossEntropyLoss()", "criterion({out}, {y})", classes=True),
    "functional cross": Loss("", "F.cross_entropy({out}, {y})", classes=True),
    "ignored": Loss(
        "criterion = nn.CrossEntropyLoss(ignore_index=0)", "criterion({out}, {y})", classes=True
    ),
    "weighted": Loss(
        "criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))",
        "criterion({out}, {y})",
        classes=True,
    ),
    "own": Loss("", "(({out} - {y}) ** 2).mean()", classes=False),
    "own sum": Loss("", "({out} - {y}).pow(2).sum() / 100", classes=False),
    "own function": Loss(
        "def loss_fn(a, b):\n    return (a - b).abs().mean()", "loss_fn({out}, {y})", classes=False
    ),
    "spread": Loss("", "F.mse_loss({out}, {y}) + {out}.std()", classes=False),
}
_REGULARISERS = (
    " + 1e-2 * sum(p.pow(2).sum() for p in {model}.parameters())",
    " + 0.01 * {out}.pow(2).mean()",
    " + 0.01 * {out}.abs().sum()",
)
