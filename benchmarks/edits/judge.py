"""The verdict on an edit of one program: its cells run as they are and as the edit leaves them."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu_headroom.code.gate import Gate
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.live import facts_of
from gpu_simulator import simulate
from torch.optim import Optimizer

from benchmarks.edits.compare import differences
from benchmarks.edits.kinds import Adaptor
from benchmarks.edits.trial import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.code.facts import Live

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome

# What a program may come to; the last two are errors, of an edit and of the program itself.
VERDICTS = ("equal", "refused", "held back", "wrong", "invalid")

_TURN_S = 30.0


@dataclass(frozen=True)
class Verdict:
    """What became of one program, and why."""

    kind: str
    program: str
    offered: bool | None
    verdict: str
    why: tuple[str, ...] = ()


def judge(program: Program) -> Verdict:
    """Ask for the edit of a program, make it if it is offered, and compare what comes out."""
    gc.collect()
    gc.freeze()  # what is imported by now is not walked through again and again
    with _card(program):
        return _judge(program)


def _judge(program: Program) -> Verdict:
    before = run(program.cells)
    if before.failed:
        return _verdict(program, "invalid", f"the original fails: {before.failed}")
    adaptor = Adaptor(program.kind)
    edited, why = offered(program, adaptor, live_of(program, before))
    if edited is None:
        return _verdict(program, "held back" if program.offered else "refused", why)
    if program.offered is False:
        return _verdict(program, "wrong", "offered where it must not be")
    after = run(edited)
    found = adaptor.differences(before, after)
    if found and not after.failed:
        # Addresses and times differ without any edit.
        noise = {_name(each) for each in differences(before, run(program.cells))}
        found = [each for each in found if _name(each) not in noise]
    return _verdict(program, "wrong" if found else "equal", *found[:6])


def offered(program: Program, adaptor: Adaptor, live: Live) -> tuple[dict[str, str] | None, str]:
    """Return the cells after the edit, or `None` and the reason why it is not offered."""
    titles = {key: f"In [{n}]" for n, key in enumerate(program.cells, 1)}
    gate = Gate(Notebook.of(program.cells.items(), titles), live)
    edits, cells = adaptor.edit(program, live), dict(program.cells)
    if not edits:
        return None, "no edit"
    for key, edit in edits.items():
        text = edit(program.cells[key])
        if text is None:
            return None, "the code is not of the form"
        cell = gate.notebook.cell(key, program.cells[key])
        assert cell is not None
        why = edit.objection(gate, cell)
        if why is not None:
            return None, why["text"]
        cells[key] = text
    return cells, ""


def live_of(program: Program, outcome: Outcome) -> Live:
    """Take the facts of what a program left; tensors that its header names are on the GPU."""
    values = {
        name: value
        for name, value in outcome.namespace.items()
        if not name.startswith("_") and name not in ("get_ipython", "display")
    }
    trained = {
        id(parameter)
        for each in gc.get_objects()
        if issubclass(type(each), Optimizer)  # without asking what pretends to be one
        for group in each.param_groups
        for parameter in group["params"]
    }
    facts = facts_of(values, Inspector(Turn(_TURN_S)), trained)
    on_gpu = set(program.about.get("gpu", ()))
    assert on_gpu <= facts.tensors.keys(), f"no tensors: {on_gpu - facts.tensors.keys()}"
    moved = {name: facts.tensors[name]._replace(on_gpu=True) for name in on_gpu}
    return replace(facts, tensors={**facts.tensors, **moved})


@contextmanager
def _card(program: Program) -> Iterator[None]:
    """Give a program that asks for a card, whether or not there is one, a simulated one."""
    if not program.needs_card:
        yield
        return
    simulation = simulate("4 GiB", compute="cpu")
    try:
        yield
    finally:
        gc.collect()
        simulation.stop()


def _verdict(program: Program, verdict: str, *why: str) -> Verdict:
    said = tuple(each for each in why if each)
    return Verdict(program.kind, program.name, program.offered, verdict, said)


def _name(difference: str) -> str:
    return difference.partition(":")[0]
