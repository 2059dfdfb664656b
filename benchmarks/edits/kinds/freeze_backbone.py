"""All results are equal; what no optimizer trains is left without gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.model_memory import frozen

from benchmarks.edits.compare import differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome

_FROZEN = "requires_grad: True became False"


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the edit of the cell that makes the model of this `name`, but for `trained` parts."""
    made = frozen(program.about["name"], *program.about.get("trained", ()))
    cells = [key for key, source in program.cells.items() if made(source) is not None]
    return dict.fromkeys(cells[:1], made)


def same(before: Outcome, after: Outcome) -> list[str]:
    """Compare all but the gradients, and that parameters want none."""
    found = differences(before, after, gradients=False)
    return [each for each in found if not each.endswith(_FROZEN)]
