"""Static reading of a gauge: complete HTML with no script or button."""

from __future__ import annotations

import time
from html import escape
from typing import TYPE_CHECKING

from ..render.style import region
from ..text.format import format_bytes
from ..text.messages import message, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..readings.snapshot import DeviceReading, DeviceSnapshot

TEXTS = {
    "gauge.title": "GPU memory",
    "gauge.headroom": "Headroom: {headroom}",
    "gauge.no_headroom": "Headroom: not measured",
    "gauge.device": "GPU {index}, {name}",
    "gauge.simulated": "simulated GPU {index}, {name}",
    "gauge.unnamed": "unnamed",
    "gauge.used": "used",
    "gauge.capacity": "capacity",
    "gauge.in_use": "in use",
    "gauge.line": "GPU {used} / {capacity}, headroom {headroom}",
    "gauge.measured": "Measured {when}. Run this cell again for the numbers of now.",
}


def static_gauge(snapshot: DeviceSnapshot | None, said: str, *, compact: bool) -> str:
    """Return a reading as HTML; the text `said` replaces it where there are no numbers."""
    devices = () if snapshot is None else snapshot.devices
    time_s = time.time() if snapshot is None else snapshot.time_s
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_s))
    body = list(_lines(devices) if compact else _tables(devices)) or [f"<p>{escape(said)}</p>"]
    measured = f"<p><small>{escape(_say('gauge.measured', when=when))}</small></p>"
    return region(_say("gauge.title"), [*body, measured])


def _lines(devices: Sequence[DeviceReading]) -> Iterator[str]:
    for device in devices:
        sizes = {
            "used": _size(device.used_bytes),
            "capacity": _size(device.capacity_bytes),
            "headroom": _size(device.headroom_bytes),
        }
        yield f"<p>{escape(_say('gauge.line', **sizes))} ({escape(_name(device))})</p>"


def _tables(devices: Sequence[DeviceReading]) -> Iterator[str]:
    for device in devices:
        headroom = device.headroom_bytes
        title = (
            _say("gauge.no_headroom")
            if headroom is None
            else _say("gauge.headroom", headroom=_size(headroom))
        )
        yield f'<h3 class="jp-toc-ignore">{escape(title)}</h3><p>{escape(_name(device))}</p>'
        yield "<table><tbody>"
        rows = {
            _say("gauge.used"): device.used_bytes,
            _say("gauge.in_use"): device.in_use_bytes,
            say("part.cached"): device.cached_bytes,
            say("part.outside"): device.outside_bytes,
            say("part.free"): device.free_bytes,
            _say("gauge.capacity"): device.capacity_bytes,
        }
        for label, size in rows.items():
            yield f'<tr><th scope="row">{escape(label)}</th><td>{escape(_size(size))}</td></tr>'
        yield "</tbody></table>"
        for note in device.notes:
            yield f"<p>{escape(note['text'])}</p>"


def _name(device: DeviceReading) -> str:
    key = "gauge.simulated" if device.simulated else "gauge.device"
    return _say(key, index=device.index, name=device.name or _say("gauge.unnamed"))


def _size(size: int | None) -> str:
    return say("report.not_measured") if size is None else format_bytes(size)


def _say(said: str, **params: str | int) -> str:
    return message(said, TEXTS, **params)["text"]
