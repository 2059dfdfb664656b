"""Values under names that a repeated run of cells replaces, and in `Out`.

A cell that runs again would have both at once: the values of the failed run, and its own. They are
freed only before cells run again, if the user has agreed to a sentence with their names, and are
never part of a plan. A release may free only those that were offered by then, and only while no
cell has run since.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..holders.names import user_names
from ..inspection.tables import items_of
from ..release.freeable import Freeable, Kind
from ..release.outputs import forget
from ..release.variables import delete, holds_memory
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ..cells.runs import CellRun
    from ..release.situation import Situation

TEXTS = {
    "confirm.rerun": "Deleted first: `{names}` ({freed_bytes}). Re-created by {cell}.",
    "confirm.rerun_unmeasured": "Deleted first: `{names}`. Re-created by {cell}.",
    "item.rerun.cost": "Re-created by {cell}.",
}
_KIND = "rerun"
_MOST_OFFERS = 200


class RerunOffer(NamedTuple):
    """Values to free before a cell runs again; `after_s` is when the last cell started."""

    cell: CellRun
    names: frozenset[str]
    after_s: float


def _offers(situation: Situation) -> dict[str, RerunOffer]:
    """Return what may go, by the ids of the items."""
    offers: dict[str, RerunOffer] = situation.kept.setdefault(_KIND, {})
    return offers


def offer(situation: Situation, run: Sequence[CellRun], cells: Mapping[str, str]) -> list[str]:
    """Enter what may go before these cells `run` in this order; return the ids of the items.

    `run` has their sources as they will run, `cells` those of the notebook.
    """
    from .code import set_first  # it comes with the first request for this

    offers, number, ids = _offers(situation), uuid.uuid4().hex[:8], []
    rebound = set_first([cell_run.source for cell_run in run], cells.values())
    for cell, names in zip(run, rebound, strict=True):
        item_id = f"{_KIND}:{number}:{cell.key}"
        offers[item_id] = RerunOffer(cell, frozenset(names), _last_s(situation))
        ids.append(item_id)
    while len(offers) > _MOST_OFFERS:
        del offers[next(iter(offers))]
    return ids


def settle(situation: Situation, found: Iterable[Freeable]) -> None:
    """Reduce the offers to these items, for which the user is asked."""
    offers = _offers(situation)
    for item in found:
        offers[item.id] = offers[item.id]._replace(names=frozenset(item.names))


def _is_offered(situation: Situation, item_id: str) -> bool:
    """Whether an item was offered, and no cell has run since."""
    rerun_offer = _offers(situation).get(item_id)
    return rerun_offer is not None and rerun_offer.after_s == _last_s(situation)


def _last_s(situation: Situation) -> float:
    return max((run.start_s for run in situation.cells), default=0.0)


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield for each cell that is to run again what goes first, under the id of its offer."""
    values = user_names(situation.shell)
    for item_id in sorted(situation.wanted):
        if not _is_offered(situation, item_id):
            continue
        cell, rebound, _ = _offers(situation)[item_id]
        names = tuple(
            [key for key in sorted(rebound & values.keys()) if _holds(situation, values[key])]
        )
        displayed = _displayed(situation, cell)
        if not names and not displayed:
            continue
        gives = situation.heap.retained([*[values[name] for name in names], *displayed.values()])
        shown = ", ".join([*names, *[f"Out[{number}]" for number in displayed]])
        params: dict[str, Any] = {"names": shown, "cell": label(cell)}
        params |= {} if gives is None else {"freed_bytes": gives.bytes}
        message_id = "confirm.rerun_unmeasured" if gives is None else "confirm.rerun"
        yield Freeable(
            id=item_id,
            kind="leftover",
            title=message("item.variable", names=shown),
            cost=message("item.rerun.cost", TEXTS, cell=label(cell)),
            gives=gives,
            free=partial(_free, situation.shell, names, tuple(displayed)),
            names=names,
            confirm=message(message_id, TEXTS, **params),
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


KINDS = {_KIND: Kind(items, holds=_is_offered, before="graph")}
