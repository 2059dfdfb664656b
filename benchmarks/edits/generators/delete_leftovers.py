"""Trainings in which names of the round before are still there when the next one is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training whose names may go at the end of each round, or before the next cell."""
    draw.force(
        **{"one line": False, "style": draw.pick("own style", ["plain", "plain", "function"])}
    )
    made = training(draw)
    names = made.names
    options = [
        [names.out],
        [names.out, names.loss],
        [names.loss],
        [names.x],
        [names.y],
        [names.out, names.out],
    ]
    gone = draw.pick("gone", options)
    where = "loop"
    if made.style == "plain" and draw.chance("before", 0.3):
        where = "before"
        gone = draw.pick("gone before", [[names.out], [names.model, names.optimizer], [names.loss]])
        made.writing.cells.append("fresh = nn.Linear(6, 3) #@anew")
        made.writing.cells += draw.pick("behind", [[], ["print(fresh.weight.sum().item())"]])
        return made.writing.text({"names": gone, "where": where}, "anew")
    return made.writing.text({"names": gone, "where": where})
