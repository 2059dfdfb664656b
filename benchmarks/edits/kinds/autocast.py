"""All results are finite and close to what they were, and parameters keep their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from gpu_headroom.edits.autocast import autocast

from benchmarks.edits.compare import finite_and_close
from benchmarks.edits.kinds import cell_runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome

_CLOSE = 0.25


def edit(program: Program, _live: Live) -> Mapping[str, Rewrite]:
    """Make it as the remedy does: of the first cell that it changes."""
    rewrite = autocast(program.about.get("torch", "torch"), "cpu")
    cells = cell_runs(program)
    cells.sort(key=lambda each: each.key != program.failing)
    for cell in cells:
        if rewrite(cell.source) is not None:
            return {cell.key: rewrite}
    return {}


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what is far off, and parameters and later values of another type."""
    names = before.namespace.keys() & after.namespace.keys()
    own = {name for name in names if _is_tensor(before.namespace[name])}
    found = finite_and_close(before, after, own, _CLOSE)
    for name in sorted(names):
        one, other = before.namespace[name], after.namespace[name]
        if isinstance(one, torch.nn.Module):
            found += [
                f"{name}: another type"
                for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True)
                if a.dtype != b.dtype
            ]
    return found


def _is_tensor(value: Any) -> bool:
    """Whether it is what a forward pass leaves behind: nobody reads that."""
    return isinstance(value, torch.Tensor) and value.grad_fn is not None
