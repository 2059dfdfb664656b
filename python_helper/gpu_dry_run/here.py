"""`gpu_headroom.dry_run()`: the cells that ran in this kernel, on a simulated GPU beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpu_headroom.terminal.tables import Text
from gpu_headroom.text.messages import say

from . import engine, gpus
from .console import TEXTS, left_out, summary
from .job import ordered
from .notebook import CodeCell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_headroom.session.session import Session

    from .job import DryRunStep

_OWN = "gpu_headroom"


def dry_run(helper: Session, names: Sequence[str], *, unheld: bool) -> str:
    """Return the memory that these cells need on each GPU, with a list of cells left out.

    Cells run in the order of their first runs, each with its latest source. Interrupting the kernel
    ends the dry run. Cells that do more than compute are left out. Raises `ValueError` for an
    unknown GPU. `unheld`: run even without a sandbox.
    """
    wanted = [gpus.find(name) for name in names] or list(gpus.GPUS)
    sources: dict[str, tuple[str, int | None]] = {}
    for run in helper.ledger.runs():
        if run.source and _OWN not in run.source:
            sources[run.cell_id or run.source] = run.source, run.execution_count
    cells = [
        CodeCell(cell_id, source, f"In [{count}]") for cell_id, (source, count) in sources.items()
    ]
    order = ordered(cells, os.getcwd(), gpus=wanted, unheld=unheld)  # noqa: PTH109  as text
    first = engine.ask_first(order)
    asks = first["asks"] if first else []
    out = {ask["cell_id"] for ask in asks}
    remaining = {cell_id: text for cell_id, text in order.sources.items() if cell_id not in out}
    steps: list[DryRunStep] = []
    findings = engine.dry_run(order._replace(sources=remaining, agreed=True), steps.append)
    lines = list(left_out(asks, order))
    if findings is not None:
        lines += summary(engine.found_of(findings, order))
    if (why := steps[-1]["message"]) is not None:
        lines.append(why["text"])
    if steps[-1]["status"] == "asking":
        lines.append(say("dry_run.unheld_here", TEXTS))
    return Text("\n".join(lines))
