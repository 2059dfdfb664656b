"""What runs of cells left under names that running them again gives other values, and in `Out`.

Run again, a cell would have both at once: the values of the run that failed, and its own. They are
freed only before cells run again, where a person has agreed to a sentence with their names, and
never offered in a plan. What a release may free of them is what was offered by then, and only
while no cell has run since.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING

from ..code.rerun import set_first
from ..holders.names import user_names
from ..inspection.tables import items_of
from ..text.messages import message
from .freeable import Freeable
from .outputs import forget
from .situation import RerunOffer
from .variables import delete, holds_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ..cells.runs import CellRun
    from .situation import Situation

KIND = "rerun"
_MOST_OFFERS = 200


def offer(situation: Situation, run: Sequence[CellRun], cells: Mapping[str, str]) -> list[str]:
    """Enter what may go before these cells `run` in this order; return the ids of the items.

    `run` has their sources as they will run, `cells` those of the notebook.
    """
    offers, number, ids = situation.offers, uuid.uuid4().hex[:8], []
    anew = set_first([cell_run.source for cell_run in run], cells.values())
    for cell, names in zip(run, anew, strict=True):
        item_id = f"{KIND}:{number}:{cell.key}"
        offers[item_id] = RerunOffer(cell, frozenset(names), _last_s(situation))
        ids.append(item_id)
    while len(offers) > _MOST_OFFERS:
        del offers[next(iter(offers))]
    return ids


def settle(situation: Situation, found: Iterable[Freeable]) -> None:
    """Leave of the offers just what a person is asked for: these items."""
    for item in found:
        names = frozenset(item.names)
        situation.offers[item.id] = situation.offers[item.id]._replace(names=names)


def holds(situation: Situation, item_id: str) -> bool:
    """Whether an item was offered, and no cell has run since."""
    rerun_offer = situation.offers.get(item_id)
    return rerun_offer is not None and rerun_offer.after_s == _last_s(situation)


def _last_s(situation: Situation) -> float:
    return max((run.start_s for run in situation.cells), default=0.0)


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield for each cell that is to run again what goes first, under the id of its offer."""
    values = user_names(situation.shell)
    for item_id in sorted(situation.wanted):
        if not holds(situation, item_id):
            continue
        cell, anew, _ = situation.offers[item_id]
        held = [each for each in sorted(anew & values.keys()) if _holds(situation, values[each])]
        names = tuple(held)
        displayed = _displayed(situation, cell)
        if names or displayed:
            yield _item(situation, item_id, names, displayed)


def _item(
    situation: Situation, item_id: str, names: tuple[str, ...], displayed: dict[int, Any]
) -> Freeable:
    values, cell = user_names(situation.shell), situation.offers[item_id].cell
    shown = ", ".join([*names, *[f"Out[{each}]" for each in displayed]])
    gives = situation.heap.retained([*[values[name] for name in names], *displayed.values()])
    said: dict[str, Any] = {"names": shown, "cell": label(cell)}
    size = {} if gives is None else {"freed_bytes": gives.bytes}
    return Freeable(
        id=item_id,
        kind="leftover",
        title=message("item.variable", names=shown),
        cost=message("item.rerun.cost", cell=label(cell)),
        gives=gives,
        free=partial(_free, situation.shell, names, tuple(displayed)),
        names=names,
        confirm=message("confirm.rerun" if size else "confirm.rerun_unmeasured", **said, **size),
    )


def label(cell: CellRun) -> str:
    """Return how a person finds a cell: "In [3]"."""
    count = cell.execution_count
    return f"In [{' ' if count is None else count}]"


def _displayed(situation: Situation, cell: CellRun) -> dict[int, Any]:
    """Return what runs of the cell as it ran have displayed, by their number."""
    history = situation.shell.history_manager
    ran = {run.source.strip() for run in situation.cells if run.key == cell.key}
    codes = history.input_hist_raw
    return {
        count: value
        for count, value in items_of(history.output_hist)
        if count < len(codes) and codes[count].strip() in ran and holds_memory(situation, value)
    }


def _free(shell: Any, names: tuple[str, ...], counts: tuple[int, ...]) -> None:
    delete(shell, names)
    history = shell.history_manager.output_hist
    forget(shell, {id(history[count]) for count in counts if count in history})


def _holds(situation: Situation, value: object) -> bool:
    """Whether a value holds memory; what a checkpointed graph computes again cannot be seen."""
    inspector = situation.inspector
    has_graph = inspector.is_tensor(value) and inspector.graph_of(value) is not None
    return has_graph or holds_memory(situation, value)
