"""The batch of the loop that failed is smaller: all samples are seen, and nothing else is another.

`value` of the header is the number, `line` the line in which it has to be changed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.literals import literals_in
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.edits.number import smaller_batch

from benchmarks.edits.kinds import way_of
from benchmarks.edits.program import HeaderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome

_DIVERGED = 1e6  # no weight of a program that trains: it does so by itself


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Halve the number that the failing loop has, else the first of that value."""
    del live
    way, value = way_of(program), program.about["value"]
    notebook = Notebook.of(program.cells.items())
    reached = way.numbers(notebook.cells)
    found = [
        literal
        for key, source in program.cells.items()
        for literal in literals_in(CellRun(key, 1, source, None, 0.0), source)
        if literal.value == value
    ]
    found.sort(key=lambda each: not reached.has(each))
    if not found:
        return {}
    line = program.cells[found[0].cell.key].split("\n")[found[0].line - 1].strip()
    if program.offered and line != program.about["line"]:
        raise HeaderError(f"{program.kind}/{program.name}: it is {line!r} that would be changed")
    return {found[0].cell.key: smaller_batch(found[0], value // 2, way)}


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what is not finite, of another shape, or seen less often."""
    if after.failed:
        return [f"fails: {after.failed}"]
    found = list(_unlike(before.namespace, after.namespace))
    gone = sorted(before.namespace.keys() ^ after.namespace.keys())
    return [*found, *(f"{name}: gone or new" for name in gone if not name.startswith("__"))]


def _unlike(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(before.keys() & after.keys()):
        one, other = before[name], after[name]
        if name in ("seen", "tested") and one != other:
            yield f"{name}: {one} became {other}"
        elif isinstance(one, float) and isinstance(other, float):
            if math.isfinite(one) and not math.isfinite(other):
                yield f"{name}: not finite"
        elif isinstance(one, torch.nn.Module) and isinstance(other, torch.nn.Module):
            states = [each.state_dict() for each in (one, other)]
            diverged = any(bool((each.abs() > _DIVERGED).any()) for each in states[0].values())
            for key, value in states[0].items():
                if states[1][key].shape != value.shape:
                    yield f"{name}.{key}: of another shape"
                elif not diverged and not bool(torch.isfinite(states[1][key].float()).all()):
                    yield f"{name}.{key}: not finite"
        elif isinstance(one, torch.nn.Parameter) and one.shape != other.shape:
            yield f"{name}: of another shape"
