"""All results and all later cells are equal: nothing is computed with what is on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.average import averaged_on_host
from gpu_headroom.edits.model_memory import loaded_to_host

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES = ("e", "p", "n")  # with which a loop goes through parameters
DEVICES = False


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the edit of a checkpoint that is loaded, or of an average (`way`), by its `name`."""
    name = program.about["name"]
    is_average = program.about.get("way") == "average"
    made = averaged_on_host(name) if is_average else loaded_to_host("torch", name)
    cells = [key for key, source in program.cells.items() if made(source) is not None]
    return dict.fromkeys(cells[:1], made)
