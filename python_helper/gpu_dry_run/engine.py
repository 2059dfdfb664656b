"""One dry run, from the order to the answer: a word of each step, and what is found by then."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_headroom.text.messages import message

from . import sandbox, words
from .asks import asks
from .child import only_way_out
from .edited import changes
from .findings import find, is_whole, needed_bytes
from .job import DIED, DryRunOrder, RunOrder
from .notebook import CodeCell
from .process import Runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_headroom.protocol.generated.wire import DryRunAsk, DryRunFound, DryRunTry

    from .findings import Findings, Try
    from .gpus import Gpu
    from .job import DryRunStep, Ended

_NOT_NEEDED = ("outside", "cached", "free")  # of a peak; the request that reached it is


def main() -> None:
    """Run the order on standard input in this process, which ends when standard input is closed."""
    order = DryRunOrder(**json.loads(sys.stdin.readline()))
    tell = only_way_out()
    dry_run(order, tell)
    os._exit(0)


def dry_run(order: DryRunOrder, tell: Callable[[DryRunStep], object]) -> Findings | None:
    """Run an order; `None`: nothing ran. The last word says why, and where it came to no end."""
    asking = ask_first(order)
    if asking is not None:
        tell(asking)
        return None
    step: DryRunStep = {"status": "running", "message": None, "asks": [], "found": None}
    runs = Runs(order)
    usual = RunOrder(order, [*order.sources.items()])

    cache: dict[str, Ended] = {}

    def once(**differs: Any) -> Ended:
        is_first = step["found"] is None
        doing = partial(words.doing, order=order, is_try="cells" in differs, is_first=is_first)
        job, key = usual._replace(**differs), repr(differs)
        if key not in cache:
            cache[key] = runs.run(job, lambda so_far: tell({**step, "message": doing(so_far)}))
        return cache[key]

    last = None
    try:
        for last in find(once, order):
            if last.ended["outcome"] in DIED and last.ended["peak"] is None:
                tell({**step, "status": "failed", "message": words.died(last.ended, order)})
                return None
            step["found"] = found_of(last, order)
            tell(step)
    except OSError as error:  # such as of a disk that is full
        reason = message("dry_run.no_folder", words.TEXTS, error=str(error))
        tell({**step, "status": "failed", "message": reason})
        return None
    finally:
        runs.close()
    if last is not None and last.ended["outcome"] in DIED:
        tell({**step, "status": "failed", "message": words.died(last.ended, order)})
    else:
        tell({**step, "status": "done"})
    return last


def ask_first(order: DryRunOrder) -> DryRunStep | None:
    """Return the question to the user before anything runs; `None` if there is none.

    The question lists effects of cells outside this process; its message is that no sandbox is
    available.
    """
    labels = order.labels
    cells = [CodeCell(cell_id, text, labels[cell_id]) for cell_id, text in order.sources.items()]
    listed: list[DryRunAsk] = [
        {"cell_id": ask.cell.id, "calls": list(ask.calls)}
        for ask in ([] if order.agreed else asks(cells))
    ]
    is_held = order.unheld or sandbox.kind(network=order.network) != sandbox.PYTHON
    if is_held and not listed:
        return None
    reason = None if is_held else message("dry_run.unheld", words.TEXTS)
    return {"status": "asking", "message": reason, "asks": listed, "found": None}


def found_of(found: Findings, order: DryRunOrder) -> DryRunFound:
    """Return what was found, as it travels."""
    ended, peak = found.ended, found.ended["peak"]
    report = found.at_peak and found.at_peak["report"]
    all_parts = report["parts"] if report else []
    parts = [part for part in all_parts if part["kind"] not in _NOT_NEEDED and part["bytes"]]
    if peak is not None and parts:
        parts.append({"kind": "outside", "bytes": peak["outside_bytes"]})
    on = found.tried_on
    return {
        "simulated": True,
        "needed_bytes": None if peak is None else needed_bytes(peak),
        "whole": is_whole(ended),
        "cell_id": None if peak is None else peak["cell_id"],
        "line": None if peak is None else peak["line"],
        "parts": parts,
        "said": list(words.said(found, order)),
        "values_to": words.values_to(ended, order),
        "batch": None if found.batch is None else words.name_of(found.batch),
        "fits": [
            {
                "gpu": fit.gpu.name,
                "where": fit.gpu.where,
                "total_bytes": fit.gpu.total_bytes - fit.gpu.more_bytes,
                "fits": fit.fits,
                "left_bytes": fit.left_bytes,
                "largest": fit.largest,
            }
            for fit in found.fits
        ],
        "tried_on": None if on is None else on.name,
        "tries": [] if on is None else [_try_of(trial, on, order) for trial in found.tries],
    }


def _try_of(each: Try, gpu: Gpu, order: DryRunOrder) -> DryRunTry:
    peak = each.ended["peak"]
    return {
        "remedy_id": each.edit["remedy_id"],
        "title": each.edit["title"],
        "number": each.edit["number"],
        "fits": {"done": True, "oom": False}.get(each.ended["outcome"]),
        "peak_bytes": None if peak is None else needed_bytes(peak) - gpu.more_bytes,
        "message": words.tried(each, gpu, order),
        "edits": changes(order.sources, each.edit["cells"]),
    }
