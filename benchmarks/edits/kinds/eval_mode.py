"""Each model is in the mode that it had after each call, and is trained on in training mode.

What is evaluated is evaluated without dropout, so its own results may differ, and with them the
random numbers that dropout draws; programs note in `modes` in which mode they make each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.code.gate import Gate
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.edits.eval_mode import KEPT, evaluating
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Return the edit of the failing line, for the model that `about` names."""
    kept = Gate(Notebook.of(program.cells.items()), live).free_name(*KEPT)
    assert kept is not None
    return {program.failing: evaluating(program.anchor, program.about["model"], kept)}


def same(before: Outcome, after: Outcome) -> list[str]:
    """Compare the modes of models, at each step and at the end, and which names there are."""
    if after.failed:
        return [after.failed]
    one, other = before.namespace, after.namespace
    names = (one.keys() ^ other.keys()) - set(KEPT)
    found = [f"{name}: gone or new" for name in sorted(names) if name[0] != "_"]
    for name, value in one.items():
        if name in other and type(value).__name__ != type(other[name]).__name__:
            found.append(f"{name}: of another type")
    if one.get("modes") != other.get("modes"):
        found.append("modes: other ones while it is trained")
    for name, value in one.items():
        if isinstance(value, nn.Module):
            modes = [
                [each.training for each in (*model.modules(),)] for model in (value, other[name])
            ]
            if modes[0] != modes[1]:
                found.append(f"{name}: in another mode")
    return found
