"""Handling of failed cells: recognition, report, and freeing if the settings say so."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..code.reading import each_parsed_once
from ..concurrency.turns import LONG_S, SHORT_S
from ..kernel import running_cell
from ..oom.failure import Failure, device_that_failed, last_shown
from ..reports.store import show, show_line
from ..text.format import format_error
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..cells.helper import Helper
    from ..cells.runs import CellRun
    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..errors.recognise import Recognition
    from ..errors.sticky_error import Fault
    from ..frameworks.torch.observer import Capture
    from ..oom.earlier import EarlierError, Tries
    from ..oom.scene import Scene
    from ..protocol.generated import requests, wire
    from ..readings.snapshot import DeviceSnapshot
    from ..reports.elsewhere import WorkerFailure
    from ..reports.model import BuiltReport
    from ..reports.store import Reports

    class _Wings(Protocol):
        """Methods of the wings for a report."""

        def report_html(self, html: str, report_id: str) -> str: ...
        def worker_failure(self, recognition: Recognition) -> WorkerFailure: ...

    class _Failing(Helper, Protocol):
        """Further methods of the helper that reports use."""

        reports: Reports
        wings: _Wings

        def take_capture(self, *, of_this_thread: bool) -> Capture | None: ...


def _hold_s() -> float:
    """Return the limit of all work on a report, in seconds of elapsed time."""
    try:
        return float(os.environ["GPU_HEADROOM_HOLD_S"])
    except (KeyError, ValueError):
        return 0.25


_HOLD_S = _hold_s()
_WALK_S = min(0.8 * _HOLD_S, SHORT_S)  # of processor time, for the walk of a report
_COMPLETE_WALL_S = 60.0  # elapsed time of completing it between cells, a slice at a time
# Reasons that mean a lack of time: not tried again. After others, the next attempt is after
# `_PAUSE_S`, then after twice as long, up to `_LONGEST_PAUSE_S`.
_FOR_TIME = ("holders.incomplete", "report.unread")
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 600.0


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """A report that is to be completed: all data about its failure, without the error.

    `shown` identifies the shown error: another one means that the kernel has moved on. `why` is the
    reason for which the last attempt ended early.
    """

    failure: Failure
    scene: Scene
    built: BuiltReport
    unnamed_bytes: int
    shown: int
    why: wire.Message | None
    pause_s: float = _PAUSE_S

    @property
    def report_id(self) -> str:
        return self.built.report["report_id"]


class Failures:
    """Reports failures at the end of their cells; `free` frees what a report's error holds.

    Keeps no reference to an error: that would keep alive all that the failed cell held.
    """

    def __init__(self, helper: _Failing, free: Callable[[str], None]) -> None:
        self._helper = helper
        self._free = free
        self._earlier: EarlierError | None = None
        self._tries: Tries | None = None
        self._unfinished: _Unfinished | None = None
        self._shown = ""  # id of the last displayed report

    def fault(self, error: BaseException | None) -> Fault | None:
        """Return the fault if `error` means that CUDA has stopped, and leave the GPU alone then."""
        if error is None:
            return None
        from ..errors.sticky_error import recognise_fault

        cuda, fault = self._helper.cuda, recognise_fault(error)
        if fault is None or not cuda.is_up():
            return None
        cuda.stop()
        return fault

    def explain_fault(self, fault: Fault, run: CellRun) -> None:
        """Store the report of an error that stopped CUDA; show it if the settings allow."""
        from ..reports.sticky_error import build

        helper, snapshot = self._helper, self._helper.sampler.latest
        run = replace(run, filename=running_cell.file_of(fault.error))
        built = build(fault, run, snapshot, helper.helper_id, helper.cuda.stopped)
        report = helper.reports.enter(built)
        if helper.options["mark_cells"]:
            self._show(report)

    def explain(  # noqa: PLR0913, PLR0917 — a failure and the data about it
        self,
        error: BaseException,
        recognition: Recognition,
        capture: Capture | None,
        snapshot: DeviceSnapshot | None,
        run: CellRun,
        shown_before: int | None,
    ) -> None:
        """Show the report of a cell that ran out of memory, or a line if the report fails.

        `shown_before` identifies the error that was shown before the cell began.
        """
        helper, failure = self._helper, self._failure(error, recognition, run, snapshot, capture)
        if shown_before is not None:
            held = self._earlier_error().held(shown_before, failure.device_index)
            failure = replace(failure, earlier_traceback_bytes=held)
        collects = gc.isenabled()
        gc.disable()  # objects made by parsing would trigger it
        try:
            self._show_report(failure, helper.turn(_WALK_S, asked=False))
        except Exception as problem:  # noqa: BLE001  an internal error must not hide the user's
            helper.failed("report", problem)
            if helper.options["mark_cells"]:
                show_line(failure, message("report.failed", error=format_error(problem)))
        finally:
            if collects:
                gc.enable()

    def failure_of(
        self, error: BaseException, recognition: Recognition, snapshot: DeviceSnapshot
    ) -> Failure | None:
        """Return a failure of the running cell, or of the last one; `None` before any."""
        run = self._helper.ledger.current()
        if run is None:
            return None
        capture = self._helper.take_capture(of_this_thread=False)
        return self._failure(error, recognition, run, snapshot, capture)

    def explain_started(self, request: requests.ExplainRequest) -> wire.ExplainReply:
        """Show a report for a process started by a cell's command, from its printed text."""
        from ..errors.pasted import recognise_text
        from ..errors.recognise import Recognition
        from ..errors.remote import RemoteWorker, named_in
        from ..oom.remote import of_command
        from ..reports.model import report_of

        helper, printed = self._helper, recognise_text(request["printed"])
        report_id, run = None, next(reversed(helper.ledger.runs(request["cell_id"])), None)
        if (
            printed is not None
            and printed.is_end
            and printed.said.certain
            and run is not None
            and run.status != "oom"
        ):
            error, name, statement = RuntimeError(), printed.error_name or "", printed.said
            command = RemoteWorker("command")
            worker = named_in(printed.above, command)
            if worker == command:  # not named in its own lines: its launcher's summary may name it
                worker = named_in(printed.below, command)
            recognition = Recognition(error, name, statement, worker=worker)
            failure = self._failure(error, recognition, run)
            data = helper.wings.worker_failure(recognition)
            with each_parsed_once():
                evidence = of_command(failure, printed.above, data.batch, data.fits)
                built = report_of(evidence)
            built = data.joined(built)
            self._tell(built, update=False, parent_id=request["parent_id"])
            report_id = built.report["report_id"]
        return {"type": "explain", "id": request["id"], "report_id": report_id}

    def _failure(
        self,
        error: BaseException,
        recognition: Recognition,
        run: CellRun,
        snapshot: DeviceSnapshot | None = None,
        capture: Capture | None = None,
    ) -> Failure:
        from ..readings.nvml import DRIVER

        helper, index = self._helper, device_that_failed(recognition, capture) or 0
        seen = snapshot or helper.sampler.latest
        return Failure(
            error=error,
            recognition=recognition,
            capture=capture,
            helper_id=helper.helper_id,
            cell=replace(run, filename=running_cell.file_of(error)),
            cells=helper.ledger.cells(),
            device=None if snapshot is None else snapshot.device(index),
            shell=helper.shell,
            time_s=time.time(),
            runs=tuple(helper.ledger.runs()),
            after_oom=helper.options["after_oom"],
            simulated=seen is not None and any(device.simulated for device in seen.devices),
            names_others=helper.options["name_others"],
            other_devices=()
            if snapshot is None
            else tuple([device for device in snapshot.devices if device.index != index]),
            hidden_devices=DRIVER.hidden(),
        )

    def measure_error(self) -> None:
        """Queue measuring what the shown error holds, for the report of a later cell."""
        if self._helper.cuda.torch() is not None:
            work = partial(self._earlier_error().measure, self._helper.shell)
            self._helper.mainloop.submit("earlier", None, work)

    def _show_report(self, failure: Failure, turn: Turn) -> None:
        from ..oom.earlier import Tries
        from ..oom.evidence import measure
        from ..oom.remote import of_worker
        from ..reports.model import end, report_of

        helper, is_remote = self._helper, failure.in_other_process
        self._tries = tries = self._tries or Tries()
        data = helper.wings.worker_failure(failure.recognition) if is_remote else None
        with each_parsed_once(turn, _HOLD_S):
            if data is not None:
                evidence = of_worker(failure, turn, data.batch, data.fits)
            else:
                evidence = tries.enter(measure(tries.begin(failure), turn))
            built = report_of(evidence, goes_on=helper.channel is not None)
            if data is not None:
                built = data.joined(built)
        former, self._unfinished = self._unfinished, None
        if former is not None and former.built.report["looking"]:
            end(former.built, former.why)  # its error is gone
            self._tell(former.built, update=True)
        looking = built.report["looking"]
        if not looking:
            end(built, built.ended)
        self._tell(built, update=False)
        if data is not None:
            data.await_more(partial(self._tell, update=True), built)
        if looking:
            later = _Unfinished(
                replace(
                    evidence.failure.without_error(),
                    earlier_traceback_bytes=evidence.earlier_traceback_bytes,
                ),
                evidence.scene,
                built,
                evidence.unnamed_bytes,
                last_shown(),
                built.ended,
            )
            self._unfinished = later
            self._look_on(later)
        if helper.options["after_oom"] == "free" and data is None:
            self._free(built.report["report_id"])

    def look_further(self) -> None:
        """Complete the last report now if it is unfinished, on a user's request."""
        if self._unfinished is not None:
            self._look_on(self._unfinished, asked=True)

    def _look_on(self, unfinished: _Unfinished, *, asked: bool = False) -> None:
        """Queue completing a report between cells, unless it is done or replaced by another."""
        if self._unfinished is unfinished:
            key, work = ("report", unfinished.report_id), partial(self._complete, unfinished)
            self._helper.mainloop.submit(key, None, work, asked=asked, cpu_s=LONG_S)

    def _complete(self, unfinished: _Unfinished, _: Job, turn: Turn) -> None:
        """Complete between cells the measurements for which there was no time at the cell's end.

        The report stays as it is where another error is shown by then, and where less was named
        than before, as other threads ran at the same time: then it is tried again after a pause, or
        on request.
        """
        from ..oom.evidence import measure
        from ..reports.model import end, report_of

        if self._unfinished is not unfinished:
            return
        later, goes_on = unfinished, last_shown() == unfinished.shown
        if goes_on and turn.blocked_by is None:
            failure = unfinished.failure
            error = getattr(sys, "last_value", None)
            if not unfinished.scene.complete and (recognition := recognised(error)):
                failure = replace(failure, error=recognition.error, recognition=recognition)
            with each_parsed_once(turn, math.inf if turn.asked else _COMPLETE_WALL_S):
                evidence = measure(failure, turn, unfinished.scene)
                if self._tries is not None:
                    evidence = self._tries.enter(evidence)
                built = report_of(evidence, report_id=unfinished.report_id)
                later = replace(later, scene=evidence.scene, why=built.ended)
                if (unnamed := evidence.unnamed_bytes) <= unfinished.unnamed_bytes:
                    later = replace(later, built=built, unnamed_bytes=unnamed)
        end(later.built, later.why)
        if later.built is not unfinished.built or unfinished.pause_s == _PAUSE_S:
            turn.on_main(lambda: self._tell(later.built, update=True))
        self._unfinished = None
        if goes_on and (why := later.why) is not None:
            self._unfinished = later = replace(later, pause_s=2 * unfinished.pause_s)
            if why["id"] not in _FOR_TIME and later.pause_s < _LONGEST_PAUSE_S:
                self._helper.schedule(lambda: self._look_on(later), unfinished.pause_s)

    def _tell(self, built: BuiltReport, *, update: bool, parent_id: str | None = None) -> None:
        """Store a report, show it, and send the event to the front ends."""
        helper = self._helper
        for row in built.withheld:
            helper.failed("report", ArithmeticError(row))
        report = helper.reports.enter(built)
        self._earlier_error().enter(report)
        if helper.options["mark_cells"] and (not update or self._shown == report["report_id"]):
            self._shown = report["report_id"]
            self._show(report, update=update, parent_id=parent_id)
        if helper.leases.any():
            helper.send(
                {
                    "type": "oom",
                    "helper_id": helper.helper_id,
                    "report_id": report["report_id"],
                    "time_s": report["time_s"],
                    "cell_id": report["cell_id"],
                    "device_index": report["device_index"],
                    "requested_bytes": report["requested_bytes"],
                    "available_bytes": report["available_bytes"],
                }
            )

    def _show(self, report: wire.Report, **where: Any) -> None:
        helper = self._helper
        keep = helper.options["keep_reports"]
        show(helper.shell, report, helper.wings.report_html, keep=keep, **where)

    def _earlier_error(self) -> EarlierError:
        from ..oom.earlier import EarlierError

        self._earlier = self._earlier or EarlierError()
        return self._earlier


def recognised(
    error: BaseException | None, snapshot: DeviceSnapshot | None = None
) -> Recognition | None:
    """Return what an error states about a full GPU; `None` for any other error.

    Also `None` if `snapshot`, the reading after the error, contradicts it.
    """
    if error is None:
        return None
    from ..errors.recognise import is_credible, recognise  # on first need: most cells do not fail

    recognition = recognise(error)
    if recognition is None:
        return None
    devices, index = () if snapshot is None else snapshot.devices, recognition.said.device_index
    if index is not None:
        devices = tuple([device for device in devices if device.index == index])
    credible = any(is_credible(recognition.said, device) for device in devices or (None,))
    return recognition if credible else None
