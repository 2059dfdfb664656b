"""`gpu_headroom.dry_run()`: the cells that ran in this kernel, on a simulated GPU beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..dry_runs import engine, gpus
from ..dry_runs.job import ordered
from ..dry_runs.notebook import CodeCell
from .dry_run_words import asked, summary
from .tables import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dry_runs.job import DryRunStep
    from ..session.session import Session

_OWN = "gpu_headroom"


def dry_run(life: Session, names: Sequence[str]) -> str:
    """Say what these cells need on each GPU, or what has to be agreed to before they run.

    Each cell as it ran last, in the order in which they first ran; interrupting it ends it. Raises
    `ValueError` for a GPU that is not known.
    """
    wanted = [gpus.find(each) for each in names] or list(gpus.GPUS)
    sources: dict[str, tuple[str, int | None]] = {}
    for run in life.ledger.runs():
        if run.source and _OWN not in run.source:
            sources[run.cell_id or run.source] = run.source, run.execution_count
    cells = [
        CodeCell(cell_id, source, f"In [{count}]") for cell_id, (source, count) in sources.items()
    ]
    steps: list[DryRunStep] = []
    order = ordered(cells, os.getcwd(), gpus=wanted)  # noqa: PTH109  as text
    found = engine.dry_run(order, steps.append)
    if found is not None:
        return Text("\n".join(summary(engine.found_of(found, order))))
    last = steps[-1]
    if last["asks"]:
        return Text("\n".join(asked(last["asks"], order)))
    return Text("" if last["message"] is None else last["message"]["text"])
