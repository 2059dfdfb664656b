"""All that trains does so as before, and all other results are equal.

Tensors that are made there need no gradients afterwards, and a teacher that nobody trains gets
none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.no_grad import without_gradients

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

GRADIENTS = False


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the edit of the failing line; `constant` says that it is of a model beside."""
    constant = bool(program.about.get("constant"))
    return {program.failing: without_gradients(program.anchor, constant=constant)}
