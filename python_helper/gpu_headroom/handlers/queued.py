"""Requests whose work is queued: an immediate reply, and an event when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..concurrency.turns import WalkCanceled
from ..text.format import format_error
from ..text.messages import message
from .dispatcher import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..holders.measure import Measured
    from ..protocol.generated.wire import Hello, Report
    from ..release.situation import Situation
    from ..reports.store import Reports

    class Served(Measured, Protocol):
        """Interface of the helper for request handlers."""

        reports: Reports

        def hello(self) -> Hello:
            """Return the event that introduces this helper."""

        def situation(self, turn: Turn) -> Situation:
            """Return the current state from which freeable items are found, within a turn."""

    Fields = Mapping[str, Any]


def known_report(helper: Served, report_id: str) -> Report:
    """Return a report of this helper; raises `RefusedError` where there is none."""
    report = helper.reports.report(report_id)
    if report is None:
        raise RefusedError(message("fix.unknown"))
    return report


def enqueue(  # noqa: PLR0913  options of a request's work
    helper: Served,
    request: Mapping[str, Any],
    work: Callable[[Turn], Fields],
    *,
    cancelled: Callable[[], Fields],
    failed: Callable[[str], Fields] | None = None,
    part: str = "",
    key: object = None,
    asked: bool = True,
    rests: bool = False,
) -> Any:
    """Queue the work of a request and return the reply; `work` returns the fields of the event.

    Requests of one type and `key` share the work. `cancelled` returns the fields if a user cancels
    it, `failed` those for an error of this `part`, given its text; without `failed` the main loop
    reports the error. Work that `rests` only reads.
    """
    kind, request_id, status = request["type"], request["id"], helper.when

    def tell(job: Job, fields: Fields) -> None:
        for request_id in job.request_ids:
            ids = {"helper_id": helper.helper_id, "request_id": request_id}
            helper.send(cast("Any", {**fields, "type": kind, **ids}))

    def run(job: Job, turn: Turn) -> None:
        try:
            fields = work(turn)
        except WalkCanceled:
            raise
        except BaseException as error:
            if failed is None:
                raise
            helper.failed(part, error)  # the front end waits for an outcome
            fields = failed(format_error(error))
        tell(job, fields)

    def give_up(job: Job) -> None:
        tell(job, cancelled())

    helper.mainloop.submit((kind, key), request_id, run, asked=asked, given_up=give_up, rests=rests)
    return {"type": kind, "id": request_id, "status": status}
