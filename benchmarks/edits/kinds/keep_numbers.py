"""All results and all later cells are equal: values are kept without their graphs.

Printed text may lose the words that tell of a graph (`grad_fn=<…>`), and no more.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_headroom.advice.remedies.keep_numbers import ways
from gpu_headroom.code.gate import Gate
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.edits.keep_numbers import detached_leaf, detached_state, entries_kept, kept

from benchmarks.edits.compare import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome

_OF_GRAPHS = re.compile(r", (?:grad_fn=<[^>]*>|requires_grad=True)")
_WAYS: dict[str, Callable[[str], Rewrite]] = {
    "entries": entries_kept,
    "state": detached_state,
    "leaf": detached_leaf,
}


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Return the first way that is proven, as the remedy finds it, else the first that there is."""
    names = names_of(program.about["name"])
    way = program.about.get("way")
    if way in _WAYS:
        return first_of(program, live, [_WAYS[way](each) for each in names])
    if way == "detach":
        return first_of(program, live, [kept(name, ".detach()") for name in names])
    return first_of(program, live, ways(names, of_graphs=True, are_numbers=True, keyed=True))


def names_of(name: str) -> list[str]:
    """Return how code may write where something is kept."""
    last = name.partition("[")[0].rpartition(".")[2]
    return list(dict.fromkeys((name, *([f"self.{last}"] if "." in name else []))))


def first_of(program: Program, live: Live, rewrites: Iterable[Rewrite]) -> Mapping[str, Rewrite]:
    """Return the first rewrite that is proven, in the first cell that it changes."""
    first: Mapping[str, Rewrite] = {}
    gate = Gate(Notebook.of(program.cells.items()), live)
    keys = [program.failing, *reversed([each for each in program.cells if each != program.failing])]
    for rewrite in rewrites:
        key = next((each for each in keys if rewrite(program.cells[each]) is not None), None)
        cell = gate.notebook.cell(key, program.cells[key]) if key is not None else None
        if key is None or cell is None:
            continue
        if rewrite.objection(gate, cell) is None:
            return {key: rewrite}
        first = first or {key: rewrite}
    return first


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what differs, but for what print tells of graphs."""
    one, other = (
        replace(each, printed=_OF_GRAPHS.sub("", each.printed)) for each in (before, after)
    )
    return differences(one, other)
