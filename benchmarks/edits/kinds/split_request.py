"""All results and all later cells are equal, up to rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.chunks import compared_in_parts, predicted_in_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the edit of the failing line, `predicted` or `compared`, in parts of `rows` rows."""
    about, anchor = program.about, program.anchor
    if about["way"] == "predicted":
        return {program.failing: predicted_in_parts(anchor, about["model"], about["rows"])}
    made = compared_in_parts(anchor, about["rows"], tables=about["tables"])
    return {program.failing: made}
