"""IPython hooks around each cell: they update the ledger, and detect failures."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from threading import get_ident, main_thread
from typing import TYPE_CHECKING, Any

from ..cells.runs import CellRun
from ..concurrency.threads import LockTimeoutError, later, unseen
from ..inspection.kinds import is_kind
from ..kernel import running_cell
from ..oom.failure import last_shown
from .failures import recognised

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Protocol

    from ..cells.helper import Helper
    from ..cells.runs import Status
    from ..frameworks.torch.observer import Capture
    from ..readings.snapshot import DeviceSnapshot
    from .failures import Failures

    class _Hooked(Helper, Protocol):
        """Further methods of the helper that the hooks use."""

        def keep_modules(self) -> None: ...
        def notice(self, snapshot: DeviceSnapshot) -> DeviceSnapshot: ...
        def stream(self, snapshot: DeviceSnapshot | None, ended: CellRun | None = None) -> None: ...
        def ended(self, run: CellRun) -> None: ...
        def take_capture(self, *, of_this_thread: bool) -> Capture | None: ...


_HEAL_AFTER_S = (0.1, 0.6)
_DOUBT_S = 1.0
_INVISIBLE_S = 0.02
_ADOPTED = object()


@dataclass(slots=True)
class _Cell:
    """State of the cell that runs on one thread.

    `shown_before` identifies the error shown before it began; `inner_error` is of a nested run.
    """

    shown_before: int
    inner_error: BaseException | None = None


class CellHooks:
    """Hooks for `pre_run_cell` and `post_run_cell`; no exception of theirs reaches a cell.

    `pre_execute` and `post_execute` would also be called for every comm message. Cells of a
    subshell run on a thread of their own, at the same time as others.
    """

    def __init__(self, session: _Hooked, failures: Failures) -> None:
        self._session = session
        self._failures = failures
        self._shell = session.shell
        self._cell_parent: Mapping[str, Any] = {}
        self._cells: dict[int, _Cell] = {}
        self._doubtful_since_s: dict[int, float] = {}
        self._next_count = session.shell.execution_count
        self._undo = ExitStack()

    def open(self) -> None:
        """Register the hooks and adopt a running cell; on an error nothing stays registered."""
        hooks = {"pre_run_cell": self._before_cell, "post_run_cell": self._after_cell}
        with ExitStack() as undo:
            self._adopt(undo)
            for event, hook in hooks.items():
                self._shell.events.register(event, hook)
                undo.callback(self._shell.events.unregister, event, hook)
            self._undo = undo.pop_all()

    def close(self) -> None:
        """Unregister the hooks, and cancel delayed calls."""
        self._undo.close()

    def look_for_lost_end(self) -> None:
        """Have the main thread check a cell whose end may have been missed.

        An awaiting cell can be invisible between two callbacks, so the check is done twice.
        """
        if self._lost():
            self._session.mainloop.look()

    def end_lost(self) -> None:
        """End a cell whose end was missed, so that no job waits for it forever.

        On the main thread between two of its callbacks, where the cell cannot end at the same time.
        """
        session = self._session
        for ident in self._lost():
            since_s = self._doubtful_since_s
            self._doubtful_since_s = {
                thread_id: since_s[thread_id] for thread_id in since_s if thread_id != ident
            }
            self._cells.pop(ident, None)
            run = session.ledger.end(0, "ok", None, time.time(), None, thread_id=ident)
            session.stream(None, run)

    def _lost(self) -> list[int]:
        """Return the threads with a cell in the ledger on which none has run for a second.

        Called on the main thread and on others: the stored state is replaced, never modified.
        """
        now_s = time.monotonic()
        silent = [
            thread
            for thread in self._session.ledger.threads
            if not running_cell.runs_cell(self._shell, thread)
        ]
        since_s = self._doubtful_since_s
        doubtful = self._doubtful_since_s = {
            thread_id: since_s.get(thread_id, now_s) for thread_id in silent
        }
        return [thread_id for thread_id, from_s in doubtful.items() if now_s - from_s > _DOUBT_S]

    @property
    def parent(self) -> Mapping[str, Any]:
        """The request of the running cell, else of the last one."""
        return self._cell_parent

    def keep_prints_in_their_cell(self) -> None:
        """Restore the last cell as parent of threads' output, after a comm message."""
        if self._cell_parent:
            self._shell.set_parent(self._cell_parent)

    # --- A cell begins ------------------------------------------------------

    def _before_cell(self, info: Any) -> None:
        unseen(self._begin, info)

    def _begin(self, info: Any) -> None:
        session = self._session
        if session.sampler.forked or running_cell.on_control_thread(self._shell):
            return
        try:
            session.mainloop.interrupt()
            session.keep_modules()
            self._let_go_of_adopted()
            nested = session.ledger.depth(None) == 0
            start = None if nested else session.sampler.measure_edge()
            cell_id = running_cell.cell_id(self._shell, info)
            count = running_cell.execution_count(self._shell, info, self._next_count)
            run = CellRun(cell_id, count, info.raw_cell, None, time.time())
            if session.ledger.begin(info, run, start):
                self._cells[get_ident()] = _Cell(last_shown())
                self._cell_parent = running_cell.parent(self._shell)
                session.stream(None)
                session.sampler.wake()
        except LockTimeoutError:
            pass  # the cell runs without being measured
        except Exception as error:  # noqa: BLE001  no error may reach the user's cell
            session.failed("cells", error)

    # --- A cell ends --------------------------------------------------------

    def _after_cell(self, result: Any) -> None:
        unseen(self._look_at_end, result)

    def _look_at_end(self, result: Any) -> None:
        session = self._session
        self._next_count = self._shell.execution_count
        if session.sampler.forked or running_cell.on_control_thread(self._shell):
            return
        try:
            session.keep_modules()
            self._end(result, self._depth(result))
        except LockTimeoutError:
            pass
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  the cell has ended
            session.failed("cells", error)

    def _depth(self, result: Any) -> int:
        ledger = self._session.ledger
        depth = ledger.depth(None if result is None else result.info)
        # A cell that was already running when the helper started has no token of its own.
        return ledger.depth(_ADOPTED) if depth < 0 else depth

    def _end(self, result: Any, depth: int) -> None:
        session = self._session
        error = None if result is None else result.error_in_exec
        if depth < 0:
            return
        if depth > 0:
            # `%%capture` and the like: the report must be in the outer cell, as the traceback is.
            cell = self._cells.get(get_ident())
            if cell is not None and (self._failures.fault(error) or recognised(error) is not None):
                cell.inner_error = error
            session.ledger.end(depth, "ok", None, time.time(), None)
            return
        cell = self._cells.pop(get_ident(), None)
        inner_error = None if cell is None else cell.inner_error or self._shown(cell)
        shown_before = None if cell is None else cell.shown_before
        self._end_cell(result, error or inner_error, shown_before)

    def _shown(self, cell: _Cell) -> BaseException | None:
        """Return an error that a magic showed and caught, as `%%time` does before IPython 9.

        `None` where another computation ran at the same time, whose error it may be.
        """
        last = getattr(sys, "last_value", None)
        is_shown = is_kind(last, BaseException) and last_shown() != cell.shown_before
        return last if is_shown and self._session.ledger.alone() else None

    def _end_cell(self, result: Any, error: BaseException | None, shown_before: int | None) -> None:
        session, failures = self._session, self._failures
        fault = failures.fault(error)  # first, as nothing may be read after CUDA has failed
        succeeded = result is not None and result.success
        # Whether CUDA, marked as stopped, has worked in this cell.
        may_answer = session.cuda.stopped is not None and running_cell.on_main_thread()
        answers = succeeded and error is None and may_answer and session.cuda.answers_again()
        snapshot = session.sampler.measure_edge()
        if snapshot is not None:
            with suppress(LockTimeoutError):
                session.notice(snapshot)
        recognition = None if fault else recognised(error, snapshot)
        # Always take it: a capture of this cell must not be used for a later one.
        capture = session.take_capture(of_this_thread=not session.ledger.alone())
        status: Status = "oom" if recognition else "ok" if succeeded else "error"
        count = getattr(result, "execution_count", None)
        # The memory change of a cell that began while CUDA was left alone is unknown.
        ran = getattr(result, "error_before_exec", None) is None
        end_snapshot = None if answers else snapshot
        run = session.ledger.end(0, status, count, time.time(), end_snapshot, ran=ran)
        session.ended(run)
        try:
            if fault is not None:
                failures.explain_fault(fault, run)
            elif error is not None and recognition is not None:
                failures.explain(error, recognition, capture, snapshot, run, shown_before)
            elif error is not None:
                failures.measure_error()
        finally:
            session.stream(snapshot, run)
            session.sampler.wake()
            session.mainloop.resume()

    # --- A cell that was already running when the helper started --------------

    def _adopt(self, undo: ExitStack) -> None:
        request = running_cell.running_request(self._shell)
        if request is None:
            return
        header = request["header"]
        run = CellRun(
            running_cell.cell_id_of(request),
            None,
            request["content"]["code"],
            None,
            _seconds(header.get("date")),
        )
        ident = main_thread().ident or 0
        self._session.ledger.begin(_ADOPTED, run, None, thread_id=ident)
        self._cells[ident] = _Cell(last_shown())
        self._cell_parent = request
        if running_cell.on_control_thread(self._shell):
            for delay_s in _HEAL_AFTER_S:
                undo.callback(later(delay_s, lambda: self._say_busy(request)).cancel)

    def _let_go_of_adopted(self) -> None:
        """End an adopted cell, whose own end may have been missed, when another begins."""
        session = self._session
        requests = running_cell.parent(self._shell), self._cell_parent
        now_id, cell_id = [(request.get("header") or {}).get("msg_id") for request in requests]
        if now_id != cell_id and session.ledger.depth(_ADOPTED) == 0:
            run = session.ledger.end(0, "ok", None, time.time(), None)
            session.stream(None, run)

    def _say_busy(self, request: Mapping[str, Any]) -> None:
        """Correct the server's view: the control request that started the helper ended with `idle`.

        A server may cull a kernel that it considers idle.
        """
        session = self._session
        depth = session.ledger.depth(_ADOPTED, thread_id=main_thread().ident)
        if session.channel is None or depth != 0 or not self._is_at_work():
            return
        session.channel.send_status("busy", request)
        if not session.ledger.running or not self._is_at_work():
            # The cell has ended meanwhile, and its `idle` may have been sent before this `busy`.
            session.channel.send_status("idle", request)

    def _is_at_work(self) -> bool:
        """Whether a cell runs on the main thread, by the kernel's state; call on another thread."""
        if running_cell.runs_cell(self._shell):
            return True
        time.sleep(_INVISIBLE_S)
        return running_cell.runs_cell(self._shell)


def _seconds(date: datetime | str | None) -> float:
    return time.time() if date is None or isinstance(date, str) else date.timestamp()
