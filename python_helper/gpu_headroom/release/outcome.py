"""Freeing the wanted items, measured before and after."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..holders.survey import survey
from ..messages import message
from ..protocol import ItemId
from .cache import empty_cache
from .outputs import purge_outputs
from .tracebacks import debugging, drop_tracebacks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..snapshot import DeviceReading, Snapshot
    from ..wire import Holder, Message, ReleasedItem

    Read = Callable[[], Snapshot | None]

SAFE: tuple[ItemId, ...] = get_args(ItemId)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a release did, in bytes over all devices; `None` is not measured.

    Headroom is that of the device that gained most.
    """

    status: Literal["done", "nothing", "failed"]
    freed_bytes: int | None
    returned_bytes: int | None
    in_use_bytes: int | None
    headroom_before_bytes: int | None
    headroom_after_bytes: int | None
    items: list[ReleasedItem]
    still_held: list[Holder]
    message: Message


def run(items: Sequence[str] | None, shell: Any, read: Read) -> Outcome:
    """Free `items` (`None`: the safe set) and say what came back.

    `read` measures all devices now. Raises `ValueError` for an item that there is not.
    """
    wanted = SAFE if items is None else tuple(items)
    unknown = [each for each in wanted if each not in SAFE]
    if unknown:
        raise ValueError(f"There is no item {unknown[0]!r}: choose from {', '.join(SAFE)}.")
    if debugging():
        return _failed(read())
    before = read()
    freed = _free(wanted, shell, read)
    after = read()
    return _outcome(before, after, freed, shell)


def _free(wanted: Sequence[str], shell: Any, read: Read) -> list[ReleasedItem]:
    """Free in an order in which each step finds what the one before has let go.

    Variables of failed cells hang in cycles: garbage is collected once after the tracebacks are
    dropped, and what that gives is counted with them.
    """
    start = _in_use(read())
    if "outputs" in wanted:
        purge_outputs(shell)
    purged = _in_use(read())
    if "traceback" in wanted:
        drop_tracebacks(shell)
    if set(wanted) - {"cache"}:
        gc.collect()
    collected = _in_use(read())
    if "cache" in wanted:
        empty_cache()
    by_collection = _less(purged, collected)
    amounts: dict[str, int | None] = {
        "outputs": _less(start, purged),
        "traceback": by_collection,
        "garbage": None if "traceback" in wanted else by_collection,
        "cache": 0,
    }
    if wanted == ("outputs",):
        amounts["outputs"] = _less(start, collected)
    return [{"id": each, "freed_bytes": amounts[each]} for each in SAFE if each in wanted]


def _outcome(
    before: Snapshot | None, after: Snapshot | None, items: list[ReleasedItem], shell: Any
) -> Outcome:
    device = _most_gained(before, after)
    found = survey(shell, elsewhere=False)
    held = found.ledger.largest(device.index if device else 0, *_ORIGINS) if found else []
    freed = _less(_in_use(before), _in_use(after))
    returned = _less(_reserved(before), _reserved(after))
    headroom_before = before.device(device.index) if before and device else None
    outcome_status: Literal["done", "nothing"] = "done"
    if freed is not None and freed <= 0 and (returned or 0) <= 0:
        outcome_status = "nothing"
    return Outcome(
        status=outcome_status,
        freed_bytes=freed,
        returned_bytes=returned,
        in_use_bytes=_in_use(after),
        headroom_before_bytes=headroom_before.headroom_bytes if headroom_before else None,
        headroom_after_bytes=device.headroom_bytes if device else None,
        items=items,
        still_held=held,
        message=_said(freed, returned, device, held),
    )


_ORIGINS: tuple[Literal["names", "outputs", "traceback", "elsewhere"], ...] = (
    "names",
    "outputs",
    "traceback",
)


def _said(
    freed: int | None, returned: int | None, device: DeviceReading | None, held: list[Holder]
) -> Message:
    if freed is None or device is None:
        return message("released.not_measured")
    if freed > 0:
        headroom = device.headroom_bytes
        if headroom is None:
            return message("released.done_no_headroom", freed_bytes=freed)
        return message("released.done", freed_bytes=freed, headroom_bytes=headroom)
    if returned and returned > 0:
        return message("released.cache_only", returned_bytes=returned)
    if held:
        in_use = device.in_use_bytes
        return message("released.nothing_held", in_use_bytes=in_use, name=held[0]["name"])
    return message("released.nothing")


def _failed(now: Snapshot | None) -> Outcome:
    device = now.devices[0] if now and now.devices else None
    headroom = device.headroom_bytes if device else None
    return Outcome(
        status="failed",
        freed_bytes=0,
        returned_bytes=0,
        in_use_bytes=_in_use(now),
        headroom_before_bytes=headroom,
        headroom_after_bytes=headroom,
        items=[],
        still_held=[],
        message=message("released.debugging"),
    )


def _most_gained(before: Snapshot | None, after: Snapshot | None) -> DeviceReading | None:
    if before is None or after is None or not after.devices:
        return None

    def gain(device: DeviceReading) -> int:
        earlier = before.device(device.index)
        return (earlier.headroom_bytes or 0) - (device.headroom_bytes or 0) if earlier else 0

    return min(after.devices, key=gain)


def _in_use(snapshot: Snapshot | None) -> int | None:
    if snapshot is None or snapshot.state != "live" or not snapshot.devices:
        return None
    return sum(device.in_use_bytes for device in snapshot.devices)


def _reserved(snapshot: Snapshot | None) -> int | None:
    if snapshot is None or snapshot.state != "live" or not snapshot.devices:
        return None
    return sum(device.in_use_bytes + device.cached_bytes for device in snapshot.devices)


def _less(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else before - after
