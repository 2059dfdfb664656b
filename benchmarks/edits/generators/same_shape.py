"""Columns against rows: a mistake, as a rule, which makes a matrix of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import Writing
from benchmarks.edits.pieces.training import IMPORTS

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_LOSSES = (
    "(({a} - {b}) ** 2).mean()",
    "({a} - {b}).abs().mean()",
    "F.mse_loss({a}, {b})",
    "F.l1_loss({a}, {b})",
    "criterion({a}, {b})",
    "({b} - {a}).pow(2).mean().sqrt()",
    "torch.abs({a} - {b}).mean()",
    "(({a} - {b}) ** 2).mean() + 0.1 * {a}.abs().mean()",
)


def program(draw: Draw) -> str:
    """Write a training with such a loss; `meant` is what it would be with two columns."""
    made = Writing("A generated broadcast")
    made.cell(IMPORTS, "import warnings", "warnings.simplefilter('ignore')")
    made.cell("torch.manual_seed(3)", "torch.set_default_dtype(torch.float64)")
    a, b = draw.pick("names", [("pred", "y"), ("out", "target"), ("preds", "labels")])
    made.cell(
        "model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))",
        "criterion = nn.MSELoss()",
    )
    made.cell("X, Y = torch.randn(8, 3), torch.randn(8)")
    loss = draw.pick("loss", _LOSSES)
    written = loss.format(a=a, b=b)
    steps = [f"{a} = model(X)", f"loss = {written} #@forward"]
    if draw.chance("reads", 0.3):
        steps.append(
            draw.pick("read", [f"shape = {a}.shape", f"print(tuple({a}.shape))", f"m = {a} - {b}"])
        )
    made.cell([f"{b} = Y", *steps])
    made.cell(f"meant = {loss.format(a='model(X)[:, 0]', b='Y')}")
    return made.text({"column": a, "row": b, "result": "loss", "expected": "meant"})
