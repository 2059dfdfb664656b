"""Data stay on the host and batches of them are moved: all results and all later cells are equal.

`data` of the header are the names that the remedy found, `gpu` those that stand on the card.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from gpu_headroom.edits.per_batch import kept_on_host, moved_per_batch, moves_of, slices_moved
from torch.utils.data import DataLoader, Dataset

from benchmarks.edits.compare import differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Change the cell that has both, else the one that moves and the failing one."""
    del live
    data = program.about["data"]
    for key, source in reversed(list(program.cells.items())):
        together = moved_per_batch(*data)
        if together(source) is not None:
            return {key: together}
    for key, source in program.cells.items():
        moves = moves_of(source, *data)
        if moves and key != program.failing:
            host = kept_on_host(*moves, used_in=program.failing)
            return {key: host, program.failing: slices_moved(moves, key)}
    return {}


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what differs, wherever it stands by now."""
    return differences(_on_host(before), _on_host(after))


def _on_host(outcome: Outcome) -> Outcome:
    values = {
        name: value.cpu() if isinstance(value, torch.Tensor) else value
        for name, value in outcome.namespace.items()
        if not isinstance(value, (DataLoader, Dataset))
    }
    return replace(outcome, namespace=values)
