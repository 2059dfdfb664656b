"""The wing of dry runs: a process beside the kernel, and what it tells handed on to a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from gpu_headroom.concurrency import threads
from gpu_headroom.handlers.dispatcher import RefusedError
from gpu_headroom.kernel import injection
from gpu_headroom.session.wing import Wing
from gpu_headroom.text.messages import message

from . import gpus
from .edited import edits_of
from .engine import ask_first
from .job import LONGEST, ordered, step_of
from .notebook import CodeCell
from .process import ended, launched
from .words import TEXTS

if TYPE_CHECKING:
    from gpu_headroom.handlers.dispatcher import Handlers
    from gpu_headroom.protocol.generated import requests, wire
    from gpu_headroom.readings.snapshot import DeviceReading
    from gpu_headroom.session.wing import Host

    from .gpus import Gpu
    from .job import DryRunOrder, EditedCells

_LOOK_EVERY_S = 0.5


class DryRuns(Wing):
    """Answers the request for a dry run; a helper has one at a time."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._going: _Going | None = None

    def handlers(self) -> Handlers:
        """Return what answers the request, to begin one or to end it."""
        return {"dry_run": self._dry_run}

    def _dry_run(self, request: requests.DryRunRequest) -> wire.DryRunReply:
        going = self._going
        is_going = going is not None and not going.is_over
        if request["action"] == "end":
            if going is not None:
                going.is_cancelled = True
        elif is_going:
            raise RefusedError(message("dry_run.busy", TEXTS))
        else:
            self._going = _Going(self.host, request, *self._gpus(request))
            threads.start(self._going.run)
        return {"type": "dry_run", "id": request["id"], "status": "queued"}

    def _gpus(self, request: requests.DryRunRequest) -> tuple[str | None, list[Gpu]]:
        """Return the name of the GPU on which edits are tried, `None` for any, and all of them."""
        latest = self.host.sampler.latest
        report = self.host.reports.report(request["report_id"] or "")
        index = report and report["device_index"]
        limits = any("memory_fraction" in text for text in request["sources"].values())
        own = [
            gpus.Gpu(device.name or f"GPU {device.index}", size, outside_bytes=device.outside_bytes)
            for device in (latest.devices if latest else ())
            if device.index == (index or 0) and (size := _size(device, limits=limits))
        ]
        try:
            chosen = [gpus.find(request["gpu"])] if request["gpu"] else own
        except ValueError as error:
            given = {"name": request["gpu"], "near": str(error)}
            raise RefusedError(message("dry_run.unknown_gpu", TEXTS, **given)) from None
        listed = list(dict.fromkeys([*chosen, *own, *gpus.GPUS]))
        return (listed[0].name if chosen else None), listed


class _Going:
    """One dry run, from the request to the last word about it, on a thread of its own."""

    def __init__(
        self, helper: Host, request: requests.DryRunRequest, tried_on: str | None, on: list[Gpu]
    ) -> None:
        self._helper, self._request, self._tried_on, self._gpus = helper, request, tried_on, on
        self.is_cancelled = self.is_over = False

    def run(self) -> None:
        """Run the order, and send the progress."""
        try:
            last = self._done(self._order())
        except Exception as error:  # noqa: BLE001  whatever it is: it has ended
            self._helper.failed("dry run", error)
            last = _failed(message("dry_run.died", TEXTS, said=str(error)))
        self.is_over = True  # before the last event, whose receiver may start another run
        self._tell(last)

    def _order(self) -> DryRunOrder:
        request = self._request
        labels = request["labels"]
        sources = request["sources"].items()
        return ordered(
            [CodeCell(cell_id, text, labels.get(cell_id, "")) for cell_id, text in sources],
            os.getcwd(),  # noqa: PTH109  as text
            gpus=self._gpus,
            tries_on=self._tried_on,
            edits=self._edits(),
            largest=True,
            largest_on_each=request["largest_on_each"],
            agreed=request["agreed"],
            unheld=request["agreed"],  # the same question says so
            network=request["agreed"],  # to what was said of it, downloads among that
            values_to=request["values_to"],
        )

    def _edits(self) -> list[EditedCells] | None:
        """Return the edits of the requesting report; `None` if no report requests it."""
        request, reports = self._request, self._helper.reports
        report = reports.report(request["report_id"] or "")
        if report is None:
            return None
        report_id = report["report_id"]
        return edits_of(report, lambda each: reports.fix(report_id, each), request["sources"])

    def _done(self, order: DryRunOrder) -> Any:
        """Return the last word of the process; the others are said as they come."""
        asking = ask_first(order)
        if asking is not None:
            return asking
        over, findings = threads.Bell(), None
        with launched("engine", order._asdict(), order.folder) as process:
            threads.start(lambda: self._guard(process, over))
            try:
                while line := process.stdout.readline(LONGEST):
                    step = step_of(line)
                    if step is None:
                        continue
                    if step["status"] != "running":
                        return step
                    findings = step["found"]
                    self._tell(step)
                error = process.stderr.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            finally:
                over.ring()
                ended(process)
        which = "dry_run.cancelled" if self.is_cancelled else "dry_run.died"
        return {**_failed(message(which, TEXTS, said=error)), "found": findings}

    def _guard(self, process: Any, over: threads.Bell) -> None:
        """End the process if the run is canceled, or if no front end is connected any more."""
        while not over.wait(_LOOK_EVERY_S):
            helper = self._helper
            if self.is_cancelled or not helper.leases.any() or injection.live() is not helper:
                self.is_cancelled = True
                ended(process)
                return

    def _tell(self, step: Any) -> None:
        helper = self._helper
        request_id = self._request["id"]
        ids = {"helper_id": helper.helper_id, "request_id": request_id}
        helper.send(cast("Any", {**step, "type": "dry_run", **ids}))


def _size(device: DeviceReading, *, limits: bool) -> int | None:
    """Return what a GPU has for this process; all of it where what is run `limits` itself."""
    free, outside = device.free_bytes, device.outside_bytes
    if limits and free is not None and outside is not None:
        return free + outside + device.in_use_bytes + device.cached_bytes
    return device.capacity_bytes


def _failed(said: wire.Message) -> dict[str, Any]:
    return {"status": "failed", "message": said, "asks": [], "found": None}


WING = DryRuns
