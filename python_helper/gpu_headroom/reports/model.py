"""The report model of one failure, built once and laid out by every renderer."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..advice.registry import diagnose
from ..advice.remedy import Offer, Shown
from ..code.reading import was_cut
from ..frameworks.registry import TITLES
from ..frameworks.view import shallow
from ..oom.failure_memory import ERROR
from ..text.messages import message
from .versions import versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..oom.evidence import Evidence
    from ..oom.failing_line import Place
    from ..oom.failure import Failure
    from ..oom.scene import Scene
    from ..protocol.generated.wire import (
        Detail,
        FrameworkName,
        Message,
        Origin,
        Part,
        PartKind,
        Report,
        Worker,
    )

VERSION = "1.1"

_MOST_PROCESSES = 5
_SIZES = (
    ("further_causes", "rule", "bytes"),
    ("remedies", "id", "effect_bytes"),
    ("parts", "kind", "bytes"),
)
_OBSERVER = "attach_out_of_memory_observer()"


@dataclass(frozen=True, slots=True)
class BuiltReport:
    """A report in its wire form, and the fixes of its remedies by remedy id.

    `scene` is the code that was running, if known; `ended` is why the search was cut short, and
    `withheld` are impossible values that were left out.
    """

    report: Report
    fixes: Mapping[str, Any]
    scene: Scene | None = None
    ended: Message | None = None
    withheld: tuple[str, ...] = ()


def report_of(
    evidence: Evidence,
    *,
    report_id: str | None = None,
    goes_on: bool = False,
) -> BuiltReport:
    """Put the evidence, its causes and the offers into one report.

    `report_id` is that of an earlier report that this one completes; `goes_on`: a later report
    will have what was not found in the time.
    """
    failure, recognition = evidence.failure, evidence.failure.recognition
    worker = recognition.worker
    causes, offers = diagnose(evidence)
    ended = evidence.ended or (message("report.unread") if was_cut() else None)
    memory, cell, device = evidence.memory, failure.cell, failure.device
    report: Report = {
        "version": VERSION,
        "report_id": report_id or uuid.uuid4().hex,
        "helper_id": failure.helper_id,
        "time_s": failure.time_s,
        "simulated": failure.simulated or (device is not None and device.simulated),
        "sticky_error": False,
        "framework": _framework(failure),
        "error_name": recognition.error_name,
        "cell_id": cell.cell_id,
        "execution_count": cell.execution_count,
        "line": evidence.scene.line,
        "device_index": evidence.device_index,
        "device_name": device.name if device is not None else None,
        "capacity_bytes": memory.capacity_bytes,
        "requested_bytes": evidence.requested_bytes,
        "available_bytes": memory.free_bytes,
        "in_use_bytes": memory.in_use_bytes,
        "cached_bytes": memory.cached_bytes,
        "outside_bytes": memory.outside_bytes,
        "parts": _parts(evidence),
        "traceback_bytes": evidence.traceback_bytes,
        "traceback_variables": list(evidence.traceback_variables),
        "holders": list(evidence.holders),
        "cause": causes[0] if causes else None,
        "further_causes": causes[1:],
        "fits_after_free": evidence.fits_after_free,
        "remedies": [offer.remedy for offer in offers],
        "details": _details(evidence),
        "versions": versions(),
        "looking": goes_on and ended is not None,
        "worker": cast("Worker", shallow(worker)) if worker else None,
        "origin": _origin(evidence.scene.origin),
        "also_failed": recognition.also_failed,
        "measured": "message" if worker else "kernel",
    }
    withheld = tuple(_withheld(report, memory.kept_back_bytes))
    fixes = {offer.id: fix for offer in offers if (fix := offer.shown.fix)}
    return BuiltReport(report, fixes, evidence.scene, ended, withheld)


def _withheld(report: Report, kept_back_bytes: int) -> Iterator[str]:
    """Remove impossible sizes from a report, and yield their names.

    A size is impossible if it is negative, or larger than all memory of the GPU, the part that a
    limit withholds, and the request together.
    """
    fields: Any = report
    capacity = max(fields[key] or 0 for key in ("capacity_bytes", "in_use_bytes", "outside_bytes"))
    most = capacity + kept_back_bytes + (fields["requested_bytes"] or 0) if capacity else math.inf
    if fields["cause"] is not None:
        fields["further_causes"] = [fields["cause"], *fields["further_causes"]]
    for rows, name, size in _SIZES:
        impossible = [row for row in fields[rows] if not 0 <= (row[size] or 0) <= most]
        fields[rows] = [row for row in fields[rows] if row not in impossible]
        yield from (f"{rows}: {row[name]} of {row[size]} bytes" for row in impossible)
    fields["cause"], *fields["further_causes"] = fields["further_causes"] or [None]


def _origin(place: Place | None) -> Origin | None:
    """Return the position in a cell where another process failed."""
    if place is None:
        return None
    cell, line, function = place
    return {
        "cell_id": cell.cell_id,
        "execution_count": cell.execution_count,
        "line": line,
        "function": function,
    }


def end(built: BuiltReport, why: Message | None) -> None:
    """Mark a report as final; if `why` it is incomplete, offer the user a further search."""
    report = built.report
    report["looking"] = False
    report["remedies"] = [remedy for remedy in report["remedies"] if remedy["id"] != "look-further"]
    if why is not None and any(part["kind"] == "not_attributed" for part in report["parts"]):
        offer = Offer(
            id="look-further",
            title=message("report.look_further"),
            note=why,
            shown=Shown(type_this="%gpu_headroom holders"),
        )
        report["remedies"].append(offer.remedy)


def _framework(failure: Failure) -> FrameworkName:
    """Name the framework; the libraries that are none of ours run on the one that is live."""
    name = failure.recognition.said.framework
    if name in TITLES:
        return cast("FrameworkName", name)
    live = failure.device.frameworks[0].name if failure.device and failure.device.frameworks else ""
    return cast("FrameworkName", live or "torch")


def _parts(evidence: Evidence) -> list[Part]:
    """Return the parts of a GPU in the order of the bar; those in use add up to the allocator's.

    Empty parts are left out, except that of free memory.
    """
    memory = evidence.memory
    sizes: list[tuple[PartKind, int | None]] = [
        ("outside", memory.outside_bytes),
        *evidence.parts.items(),
        ("cached", memory.cached_bytes),
        ("free", memory.usable_bytes),
    ]
    return [
        {"kind": kind, "bytes": size}
        for kind, size in sizes
        if size or (size == 0 and kind == "free")
    ]


def _details(evidence: Evidence) -> list[Detail]:
    memory, failure = evidence.memory, evidence.failure
    capture, statement = failure.capture, failure.recognition.said
    is_seen = evidence.requested_bytes != statement.requested_bytes
    request_source = _source(_OBSERVER if is_seen else ERROR)
    reserved = None
    if memory.in_use_bytes is not None and memory.cached_bytes is not None:
        reserved = memory.in_use_bytes + memory.cached_bytes
    largest = capture.largest_block_bytes if capture else None
    allocator = _source(memory.source)
    rows = [
        _row("detail.requested", evidence.requested_bytes, request_source),
        _row("detail.free", memory.free_bytes, _source(memory.free_source)),
        _row("detail.in_use", memory.in_use_bytes, allocator),
        _row("detail.reserved", reserved, allocator),
        _row("detail.largest_block", largest, _source("memory_snapshot()" if capture else "")),
        _row("detail.outside", memory.outside_bytes, message("source.outside")),
        _row("detail.capacity", memory.capacity_bytes, _source(memory.capacity_source)),
        _row("detail.traceback", evidence.traceback_bytes, message("source.walk")),
        _row("detail.not_attributed", evidence.not_attributed_bytes, message("source.rest")),
        _row("detail.let_go", evidence.let_go_bytes, message("source.later")),
    ]
    if statement.allowed_bytes is not None:
        rows.append(_row("detail.allowed", statement.allowed_bytes, _source(ERROR)))
    if failure.names_others:
        rows += [
            _row(
                message("detail.process", name=process["name"] or "?", pid=process["pid"])
                if process["pid"] is not None
                else message("detail.program", name=process["name"] or "?"),
                process["bytes"],
                _source("nvmlDeviceGetComputeRunningProcesses"),
            )
            for process in evidence.others.processes[:_MOST_PROCESSES]
        ]
    return rows


def _row(label: str | Message, size: int | None, source: Message) -> Detail:
    text = message(label) if isinstance(label, str) else label
    return {"label": text, "bytes": size, "source": source}


def _source(call: str) -> Message:
    """Return the source of a number: the call that returned it, or the error; empty is none."""
    if call == ERROR:
        return message("source.error")
    return message("source.call", name=call) if call else message("source.none")
