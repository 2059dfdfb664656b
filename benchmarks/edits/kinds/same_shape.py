"""Results change, as the card says: each row goes with its own value, and nothing else differs.

A program computes what is meant under the name `meant`, in another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from gpu_headroom.edits.same_shape import squeezed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the edit of the failing line, of the column and the row that `about` names."""
    about = program.about
    return {program.failing: squeezed(program.anchor, about["column"], about["row"])}


def same(before: Outcome, after: Outcome) -> list[str]:
    """Compare what comes out with what is meant, and all names."""
    if after.failed:
        return [after.failed]
    new = before.namespace.keys() ^ after.namespace.keys()
    found = [f"{name}: gone or new" for name in new if name[0] != "_"]
    names = {key for key in after.namespace if key in ("loss", "err", "last", "value", "rmse")}
    meant = after.namespace.get("meant")
    ended = [after.namespace[name] for name in names]
    is_meant = (
        any(
            abs(float(torch.as_tensor(each).detach() - torch.as_tensor(meant).detach())) < 1e-6
            for each in ended
        )
        if ended
        else False
    )
    return found if meant is None or is_meant else [*found, "it is not what is meant"]
