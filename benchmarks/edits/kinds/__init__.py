"""The adaptors of all kinds of edits, found by the names of their files.

An adaptor says in the first sentence of its docstring what its kind promises. It has

`edit(program, live) -> Mapping[key of a cell, Rewrite]`  what the remedy would do; empty if nothing

and may have

`CHANGES`         names that the edit itself binds, deletes or empties: they alone may differ.
                  `printed` stands for all that is printed
`GRADIENTS`       `False` where what is left in `.grad` afterwards is not promised
`DEVICES`         `False` where it does not matter on which device a tensor is
`same(before, after) -> list[str]`  what differs of two outcomes although it is promised, where the
                  default comparison is not the promise
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.loaders import Way

from benchmarks.edits.compare import differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


class Adaptor:
    """One kind of edits: how it is made of a program, and what it promises."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._module: Any = import_module(f"{__name__}.{kind.replace('-', '_')}")

    @property
    def promise(self) -> str:
        """What the kind promises, in a sentence."""
        return " ".join((self._module.__doc__ or "").strip().partition("\n\n")[0].split())

    def edit(self, program: Program, live: Live) -> Mapping[str, Rewrite]:
        """Return the edits of cells, by their keys."""
        found: Mapping[str, Rewrite] = self._module.edit(program, live)
        return found

    def differences(self, before: Outcome, after: Outcome) -> list[str]:
        """Return what differs of two outcomes although it is promised."""
        own = self._module
        if hasattr(own, "same"):
            found: list[str] = own.same(before, after)
            return found
        return differences(
            before,
            after,
            getattr(own, "CHANGES", ()),
            gradients=getattr(own, "GRADIENTS", True),
            devices=getattr(own, "DEVICES", True),
        )


def way_of(program: Program) -> Way:
    """Return how the failing line is come to: nothing is known of its callers."""
    keys = [each for each in program.cells if each != program.failing]
    line = program.source.split("\n")[program.line - 1].strip()
    return Way((*keys, program.failing), ((program.failing, program.line, line),))


def cell_runs(program: Program) -> list[CellRun]:
    """Return the cells of a program as the ledger of a kernel has them."""
    return [
        CellRun(key, n, source, None, float(n))
        for n, (key, source) in enumerate(program.cells.items(), 1)
    ]


def all_kinds() -> list[str]:
    """Return the kinds that have an adaptor."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return [each.stem.replace("_", "-") for each in files if not each.stem.startswith("_")]
