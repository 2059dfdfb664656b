"""All results are finite and close, and what is drawn at random is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.dtype import half_precision, single_precision

from benchmarks.edits.compare import finite_and_close

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the edit of all cells for `names`, or that of a `model` that predicts."""
    about = program.about
    if about["way"] == "half":
        made, most = half_precision(about["model"]), 1
    else:
        made, most = single_precision(*about["names"]), len(program.cells)
    cells = [key for key, source in program.cells.items() if made(source) is not None]
    return dict.fromkeys(cells[:most], made)


def same(before: Outcome, after: Outcome) -> list[str]:
    """Compare all numbers, to what half precision leaves of them."""
    return finite_and_close(before, after, relative=0.02)
