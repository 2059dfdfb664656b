"""The reports of this helper, and how one comes to stand in its cell."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..kernel.channel import publish
from ..text.format import sendable
from ..text.headline import headline

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..oom.failure import Failure
    from ..oom.scene import Scene
    from ..protocol.generated import wire
    from .model import BuiltReport

_KEPT_REPORTS = 50


@dataclass(slots=True)
class _Entry:
    built: BuiltReport
    released: wire.Released | None = None


class Reports:
    """Store of the latest reports; requests about any other report are refused."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def enter(self, built: BuiltReport) -> wire.Report:
        """Keep a report, in the place of the one that it completes."""
        before = self._entries.get(built.report["report_id"])
        released = None if before is None else before.released
        self._entries[built.report["report_id"]] = _Entry(built, released)
        while len(self._entries) > _KEPT_REPORTS:
            self._entries.popitem(last=False)
        return built.report

    def report(self, report_id: str) -> wire.Report | None:
        """Return a report of this helper."""
        entry = self._entries.get(report_id)
        return entry.built.report if entry else None

    def scene(self, report_id: str) -> Scene | None:
        """Return what was running when the memory ran out, where that is known."""
        entry = self._entries.get(report_id)
        return entry.built.scene if entry else None

    def fix(self, report_id: str, remedy_id: str) -> Any:
        """Return the fix behind a remedy, `None` where there is none."""
        entry = self._entries.get(report_id)
        return entry.built.fixes.get(remedy_id) if entry else None

    def released(self, report_id: str) -> wire.Released | None:
        """Return what a release made for this report gave back."""
        entry = self._entries.get(report_id)
        return entry.released if entry else None

    def enter_release(self, released: wire.Released) -> None:
        """Store the result of a release; a later one that freed nothing does not replace it."""
        entry = self._entries.get(released["report_id"] or "")
        if entry and (entry.released is None or released["status"] == "done"):
            entry.released = released


def show(  # noqa: PLR0913  the position of the output
    shell: Any,
    report: wire.Report,
    live: Callable[[str, str], str],
    *,
    keep: bool,
    update: bool = False,
    parent_id: str | None = None,
) -> None:
    """Display the report in the running cell; `keep=False` saves a stub in the notebook.

    `update` replaces the report that this one completes, after the cell has ended. `live` returns
    its HTML for the page. `parent_id` is the request of the cell, for a cell that has ended.
    """
    from ..render.bundle import bundle

    data = sendable(bundle(report, keep=keep))
    if keep:
        data["text/html"] = live(data["text/html"], report["report_id"])
    named = {"display_id": f"gpu-headroom-{report['report_id']}"}
    if parent_id is None:
        shell.display_pub.publish(data, transient=named, update=update)
        return
    content = {"data": data, "metadata": {}, "transient": named}
    publish(shell.kernel, "display_data", content, parent={"msg_id": parent_id})


def show_line(failure: Failure, why: wire.Message) -> None:
    """Display the facts of a failure without a report, and `why` there is none."""
    statement, device = failure.recognition.said, failure.device
    measured = failure.capture or device
    available = measured.free_bytes if measured else statement.free_bytes
    title, needed = headline(
        failure.requested_bytes,
        available,
        simulated=failure.simulated or bool(device and device.simulated),
    )
    line = f"{title}: {needed}. {why['text']}"
    failure.shell.display_pub.publish({"text/plain": sendable(line)})
