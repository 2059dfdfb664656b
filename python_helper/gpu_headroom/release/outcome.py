"""Freeing the wanted items, measured before and after."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, cast

from ..concurrency.turns import ConcurrentUseError, WalkCanceled
from ..holders.survey import survey
from ..text.format import format_error
from ..text.messages import message
from .items import SAFE, collect, find, kind_of, kinds
from .memory import Storages
from .tracebacks import debugging

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ..protocol.generated.wire import Holder, ItemKind, Message, ReleasedItem
    from ..readings.snapshot import DeviceReading, DeviceSnapshot
    from .freeable import Freeable
    from .situation import Situation

    Read = Callable[[], DeviceSnapshot | None]

_SHOWN = 80
_ROUNDING = 2**20  # a difference that is not worth a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of a release, in bytes over all devices; `None` if not measured.

    Headroom is that of the device that gained most. `undo` are ids of items that restore
    something.
    """

    status: Literal["done", "nothing", "failed", "cancelled"]
    message: Message
    freed_bytes: int | None = None
    returned_bytes: int | None = None
    in_use_bytes: int | None = None
    headroom_before_bytes: int | None = None
    headroom_after_bytes: int | None = None
    items: list[ReleasedItem] = field(default_factory=list)
    still_held: list[Holder] = field(default_factory=list)
    undo: list[str] = field(default_factory=list)


def objection(items: Sequence[str] | None, confirmed: Collection[str]) -> Message | None:
    """Return why a wish is refused as a whole: an item of no kind, or one not confirmed."""
    for item in items or ():
        kind = kinds().get(kind_of(item))
        if kind is None:
            return message("released.unknown", name=item[:_SHOWN])
        if not kind.safe and item not in confirmed:
            return message("released.unconfirmed", name=item[:_SHOWN])
    return None


def run(
    items: Sequence[str] | None,
    situation: Situation,
    read: Read,
    confirmed: Collection[str] = (),
) -> Outcome:
    """Free `items` (`None`: the safe set) and say what came back.

    `read` measures all devices now. What is to be freed is found in the turn of the situation;
    freeing it is one act on the main thread. Raises `ValueError`, before anything is freed, for
    an item of no kind and for one that has to be `confirmed` and is not.
    """
    refused = objection(items, confirmed)
    if refused is not None:
        raise ValueError(refused["text"])
    if situation.stopped is not None:
        return _failed(None, situation.stopped)
    if debugging():
        return _failed(read(), message("released.debugging"))
    wanted = dict.fromkeys(SAFE if items is None else items)
    tests = {item: holds for item in wanted if (holds := kinds()[kind_of(item)].holds)}
    if not all(holds(situation, item) for item, holds in tests.items()):
        return _failed(read(), message("released.stale"))
    before = read()
    if any(kind_of(item) != "cache" for item in wanted):
        collect(situation)
    garbage = _less(_in_use(before), _in_use(read()))
    freeables = find(situation, wanted)
    reason = message("item.gone")
    if situation.turn.company.inside:
        reason = message("item.beside", name=situation.turn.company.inside[0])
    ids = {*SAFE, *tests, *(item.id for item in freeables)}
    released: list[ReleasedItem] = [
        {
            "id": item,
            "kind": cast("ItemKind", kind_of(item)),
            "title": message("item.named", name=item[:_SHOWN]),
            "freed_bytes": 0,
            "message": reason,
        }
        for item in wanted
        if item not in ids
    ]
    released += situation.turn.on_main(lambda: _free_all(freeables, read, garbage))
    situation.turn.committed = True
    given = {item["id"] for item in released if item["freed_bytes"]}
    undo = [item.undo for item in freeables if item.undo is not None and item.id in given]
    outcome = _outcome(before, read(), released, undo, situation)
    notice = released[0]["message"] if len(released) == 1 else None
    done = kinds()[freeables[0].kind].done if freeables else ""
    if notice is None or not done:
        return outcome
    return replace(outcome, status="done" if notice["id"] == done else "failed", message=notice)


def _free_all(items: list[Freeable], read: Read, garbage: int | None) -> list[ReleasedItem]:
    """Free items in their order, on the main thread, and measure each.

    `garbage` are the bytes that the collection before has freed, counted as garbage only. What an
    item has freed is subtracted from the expectation for the next items.
    """
    released: list[ReleasedItem] = []
    storages = Storages()
    for item in items:
        freed, notice = (garbage, None) if item.kind == "garbage" else _free(item, read, storages)
        released.append(
            {
                "id": item.id,
                "kind": item.kind,
                "title": item.title,
                "freed_bytes": freed,
                "message": notice,
            }
        )
        if item.gives is not None and item.blocked is None:
            storages.update(item.gives)
    return released


def _free(item: Freeable, read: Read, gone: Storages) -> tuple[int | None, Message | None]:
    """Free one; what it leaves in cycles is collected with it, where it is missed."""
    before, notice = _in_use(read()), item.blocked
    if notice is None:
        try:
            notice = item.free()
        except KeyboardInterrupt:
            raise  # in a terminal it is the person's
        except BaseException as error:  # noqa: BLE001  the others are still to be freed
            notice = message("item.failed", error=format_error(error))
    if item.kind == "cache" or item.blocked is not None:
        return 0, notice
    expected = None
    if item.gives is not None:
        expected = sum(size for key, size in item.gives.items() if key not in gone)
    freed = _less(before, _in_use(read()))
    if freed is None or expected is None or freed < expected:
        gc.collect()
        freed = _less(before, _in_use(read()))
    if notice is None and freed is not None and freed < (expected or 0) - _ROUNDING:
        notice = message("item.kept")
    return freed, notice


def _outcome(
    before: DeviceSnapshot | None,
    after: DeviceSnapshot | None,
    items: list[ReleasedItem],
    undo: list[str],
    situation: Situation,
) -> Outcome:
    device = _most_gained(before, after)
    try:
        census = survey(situation.shell, situation.turn, unreached=False)
    except (WalkCanceled, ConcurrentUseError):  # as a cell starts: report the freed memory only
        census = None
    held = census.ledger.largest(device.index if device else 0) if census else []
    freed = _less(_in_use(before), _in_use(after))
    returned = _less(_reserved(before), _reserved(after))
    headroom_before = before.device(device.index) if before and device else None
    is_nothing = freed is not None and freed <= 0 and (returned or 0) <= 0
    return Outcome(
        status="nothing" if is_nothing else "done",
        freed_bytes=freed,
        returned_bytes=returned,
        in_use_bytes=_in_use(after),
        headroom_before_bytes=headroom_before.headroom_bytes if headroom_before else None,
        headroom_after_bytes=device.headroom_bytes if device else None,
        items=items,
        still_held=held,
        undo=undo,
        message=_said(freed, returned, device, held),
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


def _failed(now: DeviceSnapshot | None, why: Message) -> Outcome:
    device = now.devices[0] if now and now.devices else None
    headroom = device.headroom_bytes if device else None
    return Outcome(
        status="failed",
        message=why,
        freed_bytes=0,
        returned_bytes=0,
        in_use_bytes=_in_use(now),
        headroom_before_bytes=headroom,
        headroom_after_bytes=headroom,
    )


def _most_gained(
    before: DeviceSnapshot | None, after: DeviceSnapshot | None
) -> DeviceReading | None:
    if before is None or after is None or not after.devices:
        return None

    def gain(device: DeviceReading) -> int:
        earlier = before.device(device.index)
        return (earlier.headroom_bytes or 0) - (device.headroom_bytes or 0) if earlier else 0

    return min(after.devices, key=gain)


def _in_use(snapshot: DeviceSnapshot | None) -> int | None:
    devices = _measured(snapshot)
    return sum(device.in_use_bytes for device in devices) if devices else None


def _reserved(snapshot: DeviceSnapshot | None) -> int | None:
    devices = _measured(snapshot)
    return sum(device.in_use_bytes + device.cached_bytes for device in devices) if devices else None


def _measured(snapshot: DeviceSnapshot | None) -> tuple[DeviceReading, ...]:
    return snapshot.devices if snapshot is not None and snapshot.state == "live" else ()


def _less(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else before - after
