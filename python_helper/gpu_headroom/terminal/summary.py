"""Readings as text and plain tables, for terminals, scripts and `%gpu_headroom`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import session as sessions
from ..text.messages import say
from .tables import Text, heads, size, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceReading, DeviceSnapshot, HostReading
    from ..release.outcome import Outcome
    from ..session.session import Session

_MOST_ROWS = 20


def status() -> Text:
    """Read now, in a kernel or a plain script; see `gpu_headroom.status`."""
    session = _live()
    if session is not None:
        session.sources.include_all()
        texts = [summarise(session.sampler.measure()), *(wing.status() for wing in session.wings)]
        return Text("\n\n".join(filter(None, texts)))
    from . import script

    return summarise(script.read())


def holders() -> Text:
    """Measure now, in a kernel or a plain script; see `gpu_headroom.holders`."""
    session = _live()
    if session is not None:
        from ..holders.measure import measure

        return list_holders(measure(session, None, session.turn()))
    from . import script

    return list_holders(script.holders())


def summarise(snapshot: DeviceSnapshot | None) -> Text:
    """Return the GPUs' figures, and the kernel's own host memory, as text."""
    if snapshot is None:
        return Text(say("summary.no_reading"))
    is_live = snapshot.state == "live" and snapshot.devices
    lines = [] if is_live else [say(f"summary.state.{snapshot.state}")]
    lines += list_devices(snapshot)
    if snapshot.host is not None:
        lines.append(_host(snapshot.host))
    return Text("\n".join(lines))


def list_devices(snapshot: DeviceSnapshot) -> Iterator[str]:
    """Yield a table of the GPUs' figures, and remarks on them."""
    if snapshot.devices:
        rows = [_device(reading) for reading in snapshot.devices]
        yield table(heads("summary.devices"), rows, right=2)
    for device in snapshot.devices:
        yield from _remarks(device)


def list_holders(event: wire.Holders) -> Text:
    """Return what uses GPU memory as text: for each GPU the sum and a table, largest first."""
    parts = [event["message"]["text"]]
    for device in event["devices"]:
        parts += ["", _sum(device), *_rows(device, event["recording"])]
    return Text("\n".join(parts))


def list_items(items: Sequence[wire.Item]) -> Text:
    """Return what can be freed as text: expected bytes of each item, and its cost."""
    head = heads("summary.items")
    parts = [table(head, [_item(item) for item in items if item["safe"]], right=9)]
    rows = [_item(item) for item in items if not item["safe"]]
    if rows:
        parts += ["", say("summary.with_confirm"), table(head, rows, right=9)]
    return Text("\n".join(parts))


def list_outcome(outcome: Outcome) -> Text:
    """Return the outcome of a release as text: in all, per item, and what still holds memory."""
    rows = [
        (size(item["freed_bytes"]), item["id"], item["message"]["text"] if item["message"] else "")
        for item in outcome.items
        if item["freed_bytes"] or item["message"]
    ]
    parts = [outcome.message["text"]]
    if rows:
        parts.append(table(heads("summary.freed"), rows, right=9))
    if outcome.still_held:
        texts = (f"{holder['name']} {size(holder['bytes'])}" for holder in outcome.still_held)
        parts.append(say("summary.still_in_use", held=", ".join(texts)))
    return Text("\n".join(parts))


def _live() -> Session | None:
    """Return the helper of this kernel, started if needed; `None` in a plain script."""
    try:
        return sessions.start()
    except RuntimeError:
        return None


def _device(device: DeviceReading) -> tuple[str, ...]:
    fallback = "simulated" if device.simulated else "unnamed"
    sizes = (
        device.used_bytes,
        device.headroom_bytes,
        device.in_use_bytes,
        device.cached_bytes,
        device.outside_bytes,
        device.free_bytes,
        device.capacity_bytes,
    )
    return (str(device.index), device.name or fallback, *map(size, sizes))


def _remarks(device: DeviceReading) -> Iterator[str]:
    index = device.index
    if len(device.frameworks) > 1:
        shares = (
            f"{framework.name} {size(framework.in_use_bytes)}" for framework in device.frameworks
        )
        yield say("summary.shared", index=index, shares=", ".join(shares))
    if device.capacity_limited:
        yield say("summary.limited", index=index)
    for note in device.notes:
        yield f"GPU {index}: {note['text']}"


def _host(host: HostReading) -> str:
    return say(
        "summary.host",
        rss=size(host.rss_bytes),
        available=size(host.available_bytes),
        total=size(host.total_bytes),
    )


def _sum(device: wire.HeldDevice) -> str:
    return say(
        "summary.sum",
        index=device["device_index"],
        in_use_bytes=device["in_use_bytes"],
        parts=", ".join(
            say(f"summary.part.{part['kind']}", part_bytes=part["bytes"])
            for part in device["parts"]
        ),
    )


def _rows(device: wire.HeldDevice, recording: bool) -> Iterator[str]:
    rows, head = device["rows"], "summary.holders_made" if recording else "summary.holders"
    if rows:
        lines = [(*_row(held), *([_made(held)] if recording else [])) for held in rows[:_MOST_ROWS]]
        yield table(heads(head), lines, right=9)
    if len(rows) > _MOST_ROWS:
        rest = sum(held["bytes"] for held in rows[_MOST_ROWS:])
        yield say("summary.more_rows", count=len(rows) - _MOST_ROWS, rest_bytes=rest)


def _item(item: wire.Item) -> tuple[str, str, str]:
    note = item["blocked"] or item["cost"]
    return item["id"], size(item["expected_bytes"]), note["text"]


def _row(row: wire.Held) -> tuple[str, str, str]:
    name = row["name"] or f"no name ({row['type_name'] or 'unknown'})"
    if row["aliases"]:
        name += f" (also {', '.join(row['aliases'])})"
    return size(row["bytes"]), row["kind"].replace("_", " "), name


def _made(row: wire.Held) -> str:
    site = row["parts"][0]["allocation_site"] if row["parts"] else None
    if site is None or site["line"] is None:
        return ""
    count = site["execution_count"]
    cell = "a cell" if count is None else f"In [{count}]"
    return f"{cell}, line {site['line']}"
