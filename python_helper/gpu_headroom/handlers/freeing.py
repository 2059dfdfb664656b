"""Freeing as a service: queued for the main thread, kept with its report, told as an event."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Abandoned
from ..release.outcome import Outcome, run
from ..text.format import format_error
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..protocol.generated.wire import Message
    from .queued import Served


def free(
    life: Served,
    items: Sequence[str] | None,
    confirmed: Sequence[str],
    report_id: str | None,
    request_id: str | None = None,
) -> str:
    """Free items when the main thread comes round to it, and return the id of the release.

    `report_id` is that of the card that offers it. Without a request it is done by itself.
    """
    automatic = request_id is None

    def work(job: Job, turn: Turn) -> None:
        try:
            outcome = run(items, life.situation(turn), life.sampler.measure, confirmed)
            if automatic and (outcome.freed_bytes or 0) > 0:
                outcome = replace(outcome, message=_unasked(outcome))
        except Abandoned:
            raise
        except BaseException as error:  # noqa: BLE001  the page waits for an end, whatever it is
            life.failed("release", error)
            why = message("released.failed", error=format_error(error))
            outcome = Outcome(status="failed", message=why)
        tell(life, outcome, job.id, report_id, automatic=automatic)

    def give_up(job: Job) -> None:
        outcome = Outcome(status="cancelled", message=message("released.cancelled"))
        tell(life, outcome, job.id, report_id)

    wish = ("release", None if items is None else tuple(sorted(items)), report_id)
    told_of = None if automatic else give_up
    job = life.mainloop.submit(wish, request_id, work, asked=not automatic, given_up=told_of)
    return job.id


def tell(
    life: Served,
    outcome: Outcome,
    release_id: str,
    report_id: str | None = None,
    *,
    automatic: bool = False,
) -> None:
    """Keep what came of a release with its report, and tell whoever is there."""
    released: Any = {
        "type": "released",
        "life_id": life.life_id,
        "release_id": release_id,
        "report_id": report_id,
        "automatic": automatic,
        "time_s": time.time(),
        **asdict(outcome),
    }
    life.reports.enter_release(released)
    life.send(released)


def _unasked(outcome: Outcome) -> Message:
    freed, headroom = outcome.freed_bytes, outcome.headroom_after_bytes
    if headroom is None:
        return message("released.by_itself_no_headroom", freed_bytes=freed)
    return message("released.by_itself", freed_bytes=freed, headroom_bytes=headroom)
