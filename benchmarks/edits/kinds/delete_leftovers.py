"""All results and all later cells are equal; the names themselves are gone, or `None`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.delete import deleted_before, deleted_in_loop

from benchmarks.edits.compare import differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return what the remedy would do with the names of the header."""
    make = deleted_in_loop if program.about["where"] == "loop" else deleted_before
    return {program.failing: make(program.anchor, *program.about["names"])}


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what differs, but for the names that went."""
    gone = {
        name
        for name in before.namespace
        if after.namespace.get(name) is None and before.namespace[name] is not None
    }
    return differences(before, after, gone)
