"""The hooks around each cell: they keep the ledger, and notice a failure."""

from __future__ import annotations

import sys
import threading
import time
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import shell as facts
from .cells import CellRun
from .format import format_error
from .kinds import is_kind
from .messages import message
from .reports import show, show_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from . import wire
    from .cells import Status
    from .oom.poison import Fault
    from .oom.recognise import Recognition
    from .session import Session
    from .snapshot import Snapshot

_PACK_WAIT_S = 2.0
_HEAL_AFTER_S = (0.1, 0.6)
_DOUBT_S = 1.0
_ADOPTED = object()


class Watch:
    """Listens to `pre_run_cell` and `post_run_cell`; nothing in here raises into a cell.

    `pre_execute` and `post_execute` would fire for every comm message as well.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shell = session.shell
        self._cell_parent: Mapping[str, Any] = {}
        self._inner_error: BaseException | None = None
        self._shown_before = _last_shown()
        self._doubtful_since_s: float | None = None
        self._next_count = session.shell.execution_count
        self._owed: tuple[dict[str, Any], str] | None = None

    def open(self) -> None:
        """Register the hooks, and adopt the cell that runs already."""
        self._adopt()
        self._shell.events.register("pre_run_cell", self._before_cell)
        self._shell.events.register("post_run_cell", self._after_cell)

    def close(self) -> None:
        """Take the hooks back."""
        self._shell.events.unregister("pre_run_cell", self._before_cell)
        self._shell.events.unregister("post_run_cell", self._after_cell)

    def settle(self) -> None:
        """Let go of a cell whose end went unnoticed, so that nothing waits for it for ever.

        Between two callbacks an awaiting cell can be invisible: only what is seen twice counts.
        """
        session = self._session
        if not session.ledger.running or facts.runs_cell(self._shell):
            self._doubtful_since_s = None
            return
        now_s = time.monotonic()
        if self._doubtful_since_s is None:
            self._doubtful_since_s = now_s
        elif now_s - self._doubtful_since_s > _DOUBT_S:
            self._doubtful_since_s = None
            session.ledger.end(0, "ok", None, time.time(), None)
            session.stream(None)
            session.mainloop.resume()

    def keep_prints_in_their_cell(self) -> None:
        """Give the parent of the last cell back to what its threads print.

        A comm message from a page becomes the shell's parent, and with it the parent
        of everything that threads print from then on.
        """
        if self._cell_parent:
            self._shell.set_parent(self._cell_parent)

    # --- A cell begins ------------------------------------------------------

    def _before_cell(self, info: Any) -> None:
        session = self._session
        if session.sampler.forked or facts.on_control_thread(self._shell):
            return
        try:
            self._let_go_of_adopted()
            start = None if session.ledger.running else session.sampler.measure_edge()
            cell_id = facts.cell_id(self._shell, info)
            count = facts.execution_count(self._shell, info, self._next_count)
            run = CellRun(cell_id, count, info.raw_cell, None, time.time())
            if session.ledger.begin(info, run, start):
                self._shown_before = _last_shown()
                self._cell_parent = facts.parent(self._shell)
                session.stream(None)
                session.sampler.wake()
        except Exception as error:  # noqa: BLE001  the user's cell goes on whatever happens here
            session.failed("cells", error)

    # --- A cell ends --------------------------------------------------------

    def _after_cell(self, result: Any) -> None:
        session = self._session
        self._next_count = self._shell.execution_count
        if session.sampler.forked or facts.on_control_thread(self._shell):
            return
        try:
            self._end(result, self._depth(result))
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  the cell has ended
            session.failed("cells", error)

    def _depth(self, result: Any) -> int:
        ledger = self._session.ledger
        depth = ledger.depth(None if result is None else result.info)
        # A cell that was running when the helper came has no start to be known by.
        return ledger.depth(_ADOPTED) if depth < 0 else depth

    def _end(self, result: Any, depth: int) -> None:
        session = self._session
        error = None if result is None else result.error_in_exec
        if depth < 0:
            return
        if depth > 0:
            # `%%capture` and the like: the traceback stands in the outer cell, and so must a card.
            if self._fault(error) or _recognise(error) is not None:
                self._inner_error = error
            session.ledger.end(depth, "ok", None, time.time(), None)
            return
        inner, self._inner_error = self._inner_error, None
        self._end_cell(result, error or inner or self._shown())

    def _shown(self) -> BaseException | None:
        """Return the error that a magic showed and swallowed, as `%%time` does before IPython 9."""
        last = getattr(sys, "last_value", None)
        shown = is_kind(last, BaseException) and _last_shown() != self._shown_before
        return last if shown else None

    def _end_cell(self, result: Any, error: BaseException | None) -> None:
        session = self._session
        fault = self._fault(error)  # first: where CUDA has failed, nothing may be read
        snapshot = session.sampler.measure_edge()
        if snapshot is not None:
            session.notice(snapshot)
        recognition = None if fault else _recognise(error, snapshot)
        succeeded = result is not None and result.success
        status: Status = "oom" if recognition else "ok" if succeeded else "error"
        count = getattr(result, "execution_count", None)
        run = session.ledger.end(0, status, count, time.time(), snapshot)
        session.ended(run)
        try:
            if fault is not None:
                from .oom.poison_card import explain

                explain(session, fault, self._named(run))
            elif error is not None and recognition is not None:
                self._report(error, recognition, run, snapshot)
        finally:
            session.take_capture()  # nothing of this cell may explain a later one
            session.stream(snapshot)
            session.sampler.wake()
            session.mainloop.resume()

    def _fault(self, error: BaseException | None) -> Fault | None:
        if error is None or not self._session.complete:
            return None
        from .oom.poison import notice

        return notice(self._session, error)

    def _report(
        self,
        error: BaseException,
        recognition: Recognition,
        run: CellRun,
        snapshot: Snapshot | None,
    ) -> None:
        session = self._session
        facts = {
            "recognition": recognition,
            "capture": session.take_capture(),
            "life_id": session.life_id,
            "cell": self._named(run),
            "cells": tuple(self._named(each) for each in session.ledger.cells()),
            "device": None if snapshot is None else snapshot.device(recognition.device_index or 0),
            "shell": self._shell,
            "time_s": time.time(),
            "runs": tuple(session.ledger.runs()),
            "after_oom": session.options["after_oom"],
        }
        if session.await_pack(_PACK_WAIT_S):
            try:
                self._explain(error, facts)
            except Exception as problem:  # noqa: BLE001  a failure of ours must not hide theirs
                session.failed("report", problem)
                self._show_line(facts, message("card.failed", error=format_error(problem)))
            return
        session.failed("report", RuntimeError("the second part of the helper has not arrived"))
        # The error itself would keep all that the failed cell held.
        facts["recognition"] = replace(recognition, error=None)
        self._owed = facts, self._show_line(facts, message("card.incomplete"))

    def _show_line(self, facts: dict[str, Any], why: wire.Message) -> str:
        display_id = uuid.uuid4().hex
        if self._session.options["mark_cells"]:
            show_line(self._shell, facts, why, display_id)
        return display_id

    def explain_owed(self) -> None:
        """Put the card where the last failure could only have a line, if its error is still there.

        Called between cells when the second pack has come.
        """
        if self._owed is None:
            return
        from .holders.frames import last_errors
        from .oom.recognise import recognise

        (facts, display_id), self._owed = self._owed, None
        for error in last_errors(self._shell):
            said = recognise(error)
            if said and replace(said, error=None) == facts["recognition"]:
                self._explain(error, facts, display_id)
                return

    def _explain(
        self, error: BaseException, facts: dict[str, Any], display_id: str | None = None
    ) -> None:
        from .oom.evidence import Failure

        session = self._session
        report = session.reports.build(Failure(error=error, **facts))
        if session.options["mark_cells"]:
            show(self._shell, report, keep=session.options["keep_reports"], replaced=display_id)
        if session.leases.any():
            session.send(
                {
                    "type": "oom",
                    "life_id": session.life_id,
                    "report_id": report["report_id"],
                    "time_s": report["time_s"],
                    "cell_id": report["cell_id"],
                    "device_index": report["device_index"],
                    "requested_bytes": report["requested_bytes"],
                    "available_bytes": report["available_bytes"],
                }
            )
        if session.options["after_oom"] == "free":
            from .release.requests import ReleaseRequests

            ReleaseRequests(session).free_failed(report["report_id"])

    def _named(self, run: CellRun) -> CellRun:
        name = facts.code_name(self._shell, run.source, run.execution_count)
        return replace(run, filename=name)

    # --- A cell was running before the helper came ---------------------------

    def _adopt(self) -> None:
        request = facts.running_request(self._shell)
        if request is None:
            return
        header = request["header"]
        run = CellRun(
            (request.get("metadata") or {}).get("cellId"),
            None,
            request["content"]["code"],
            None,
            _seconds(header.get("date")),
        )
        self._session.ledger.begin(_ADOPTED, run, None)
        self._cell_parent = request
        if facts.on_control_thread(self._shell):
            for delay_s in _HEAL_AFTER_S:
                _later(delay_s, lambda: self._say_busy(request))

    def _let_go_of_adopted(self) -> None:
        """End an adopted cell when another request's cell begins.

        The helper may come when a cell's code has ended and its hooks have been called
        already: it then never hears of the end.
        """
        session = self._session
        if session.ledger.depth(_ADOPTED) == 0 and not self._same_request():
            session.ledger.end(0, "ok", None, time.time(), None)
            session.stream(None)

    def _same_request(self) -> bool:
        header, adopted = (
            request.get("header") or {}
            for request in (facts.parent(self._shell), self._cell_parent)
        )
        return header.get("msg_id") == adopted.get("msg_id")

    def _say_busy(self, request: Mapping[str, Any]) -> None:
        """Mend what the server believes: the control request that brought us ended `idle`.

        A server that takes a busy kernel for idle may cull it in the middle of a
        training run.
        """
        session = self._session
        if session.channel is None or session.ledger.depth(_ADOPTED) != 0:
            return
        session.channel.send_status("busy", request)
        if not session.ledger.running:
            # The cell has ended meanwhile, and its own `idle` may have come before our `busy`.
            session.channel.send_status("idle", request)


def _last_shown() -> int:
    """Tell errors apart without holding one."""
    return id(getattr(sys, "last_value", None))


def _recognise(error: BaseException | None, snapshot: Snapshot | None = None) -> Recognition | None:
    if error is None:
        return None
    from .oom.recognise import is_credible, recognise  # on first need: most cells do not fail

    said = recognise(error)
    if said is None:
        return None
    device = None if snapshot is None else snapshot.device(said.device_index or 0)
    return said if is_credible(said, device) else None


def _later(delay_s: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(delay_s, call)
    timer.daemon = True
    timer.start()


def _seconds(date: datetime | str | None) -> float:
    return time.time() if date is None or isinstance(date, str) else date.timestamp()
