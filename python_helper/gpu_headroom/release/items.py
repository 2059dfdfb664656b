"""What can be freed, what it is expected to give, and what one loses by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..holders.survey import survey
from ..messages import message
from ..sources.torch_cuda import TorchCuda
from .tracebacks import debugging

if TYPE_CHECKING:
    from ..protocol import ItemId
    from ..wire import Item, Message


def plan(shell: Any) -> list[Item]:
    """List the items with bytes measured on the reference graph; all devices together.

    What garbage would give cannot be measured before it is collected: `None`.
    """
    found = survey(shell, elsewhere=False)
    traceback = found.ledger.bytes(origin="traceback") if found else None
    outputs = found.ledger.bytes(origin="outputs") if found else None
    cost = "item.traceback.cost_debugging" if debugging() else "item.traceback.cost"
    return [
        _item("traceback", message("item.traceback"), message(cost), traceback),
        _item("outputs", message("item.outputs"), message("item.outputs.cost"), outputs),
        _item("garbage", message("item.garbage"), message("item.garbage.cost"), None),
        _item("cache", message("item.cache"), message("item.cache.cost"), _cached_bytes()),
    ]


def _item(item_id: ItemId, title: Message, cost: Message, expected: int | None) -> Item:
    return {"id": item_id, "title": title, "cost": cost, "expected_bytes": expected, "safe": True}


def _cached_bytes() -> int | None:
    source = TorchCuda()
    if source.state() != "live":
        return None
    frameworks = (view.framework for view in source.read())
    return sum(each.cached_bytes or 0 for each in frameworks if each is not None)
