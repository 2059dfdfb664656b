"""`Adafactor` in the place of `Adam`: training changes, and goes on with finite weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from gpu_headroom.edits.optimizer import factored

from benchmarks.edits.kinds.lighter_optimizer import in_first_cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Change the only `Adam` of a cell."""
    del live
    return in_first_cell(program, factored(has_stepped=program.about.get("trained", False)))


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what fails, is missing, or is not finite."""
    if after.failed:
        return [f"fails: {after.failed}"]
    names = sorted(before.namespace.keys() ^ after.namespace.keys())
    return [f"{name}: gone or new" for name in names if not name.startswith("__")] + [
        f"{name}: not finite"
        for name, value in after.namespace.items()
        if isinstance(value, torch.nn.Module)
        and not all(bool(torch.isfinite(each).all()) for each in value.state_dict().values())
    ]
