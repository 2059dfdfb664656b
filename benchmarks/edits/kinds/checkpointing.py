"""The loss, gradients, the random state and buffers are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.checkpointing import (
    checkpointed_blocks,
    checkpointed_sequential,
    not_checkpointed,
)
from gpu_headroom.edits.rewrite import all_of

from benchmarks.edits.kinds import cell_runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES = {"checkpoint", "checkpoint_sequential"}
"""The functions that are imported."""
_SEGMENTS = 3


def edit(program: Program, _live: Live) -> Mapping[str, Rewrite]:
    """Make it as the remedy does: of the first cell that it changes."""
    model = program.about.get("model")
    ways = [checkpointed_blocks()]
    if model is not None:
        parts = checkpointed_sequential(model, _SEGMENTS)
        whole = not_checkpointed(model)
        ways = [all_of(whole, parts), whole, parts, *ways]
    for rewrite in ways:
        for cell in reversed(cell_runs(program)):
            if rewrite(cell.source) is not None:
                return {cell.key: rewrite}
    return {}
