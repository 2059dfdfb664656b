"""All results are equal, in the same order and of the same types; a pool has one worker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpu_headroom.edits.one_at_a_time import awaited_in_turn, one_worker

from benchmarks.edits.kinds.keep_numbers import first_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES = ("pool",)
_ALIASES = re.compile(r"\bThreadPoolExecutor as (\w+)")


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Return what the remedy would do."""
    aliases = [name for text in program.cells.values() for name in _ALIASES.findall(text)]
    return first_of(program, live, (awaited_in_turn(), one_worker(*aliases)))
