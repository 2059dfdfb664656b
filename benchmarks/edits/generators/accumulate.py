"""Trainings with a size of the batch that can be halved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training whose batch is to be made of several."""
    if draw.pick("how", ["loader"] * 4 + ["other"]) == "loader":
        draw.force(loader="loader")
    else:
        draw.force(**{"size name": draw.pick("its name", ["BATCH_SIZE", "batch_size", "bs"])})
    # Most of what a training may have is in the way of this edit: a few things at a time.
    draw.mostly(
        0.85,
        model=draw.pick("simple model", ["linear", "mlp", "conv", "attention", "class", "blocks"]),
        part="nn.Identity()",
        loss=draw.pick("mean loss", ["mean", "functional", "cross", "functional cross", "own"]),
        regulariser="",
        rest=0,
        schedule=draw.pick("simple schedule", ["none", "none", "epoch", "step", "by hand"]),
        control="none",
        through=draw.pick("simple loop", ["plain", "plain", "enumerate", "tqdm", "packed"]),
        every="",
        zero=draw.pick("simple zero", ["first", "before backward", "last"]),
        **{
            "side effect": "none",
            "drop last": True,
            "logs": 0,
            "other loader": False,
            "shuffle": False,
            "log": draw.pick("simple log", ["items", "running", "tensors", "count"]),
        },
    )
    made = training(draw)
    size = made.data.size
    name = made.data.size_name or "batch_size"
    value = draw.pick("value", [size // 2, size // 2, size // 2, 2, 3])
    return made.writing.text({"batch": name, "value": value})
