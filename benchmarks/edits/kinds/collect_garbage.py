"""All results and all later cells are equal; the name `gc` is bound to the module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.garbage import collected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES = ("gc",)


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the rewrite at the failing line."""
    return {program.failing: collected(program.anchor)}
