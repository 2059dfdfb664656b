"""PyTorch may take the whole card: nothing else is another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.fraction import unlimited

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Lift the limit in the last cell that sets one."""
    del live
    for key, source in reversed(list(program.cells.items())):
        rewrite = unlimited()
        if rewrite(source) is not None:
            return {key: rewrite}
    return {}
