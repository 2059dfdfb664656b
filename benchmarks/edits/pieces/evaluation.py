"""Evaluations: a function that is called within training, or a cell behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import block, inner

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def evaluation(draw: Draw, model: str, batches: str, name: str = "validate") -> str:
    """Write a function that goes through batches and returns a number."""
    given = draw.pick("evaluation takes", ["", model, "net_", f"{model}, batches_"])
    own = "net_" if given == "net_" else model
    through = "batches_" if "batches_" in given else batches
    head = [f"{own}.eval()"] if draw.chance("evaluation eval", 0.5) else []
    tail = [f"{own}.train()"] if draw.chance("evaluation train", 0.5 if head else 0.1) else []
    keeps, gives = draw.pick(
        "evaluation keeps",
        [
            ("total += F.mse_loss(out_, torch.zeros_like(out_)).item()", "total"),
            ("total = total + out_.abs().mean()", "total"),
            ("total += float(out_.argmax(-1).sum())", "total"),
            ("total = max(total, out_.max().item())", "total"),
            ("scores.append(out_)", "torch.cat(scores)"),
            ("scores.append(out_.mean())", "sum(scores) / len(scores)"),
        ],
    )
    start = "scores = []" if "scores" in keeps else "total = 0.0"
    each = draw.pick(
        "evaluation batch", [("xv, yv", "xv"), ("batch_", "batch_[0]"), ("xv, _", "xv")]
    )
    loop = [f"for {each[0]} in {through}:", *inner([f"out_ = {own}({each[1]}) #@evaluated", keeps])]
    if draw.chance("evaluation no_grad", 0.4):
        loop = ["with torch.no_grad():", *inner(loop)]
    body = [*head, start, *loop, *tail, f"return {gives}"]
    return "\n".join([f"def {name}({given}):", *inner(body)])


def call(function: str, model: str, batches: str) -> str:
    """Return the call of such a function."""
    given = block(function).partition("(")[2].partition(")")[0]
    return {"": "validate()", model: f"validate({model})", "net_": f"validate({model})"}.get(
        given, f"validate({model}, {batches})"
    )
