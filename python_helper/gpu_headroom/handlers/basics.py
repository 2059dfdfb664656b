"""First requests of a front end: leases, and replies from the last known state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..readings.interval import DEFAULT_HZ
from ..text.messages import message
from .dispatcher import Refusal, limited

if TYPE_CHECKING:
    from ..protocol.generated import requests, wire
    from .dispatcher import Handlers
    from .queued import Served


class Basics:
    """Handlers that need no walk and no import, by request type."""

    def __init__(self, life: Served) -> None:
        self._life = life
        self.by_kind: Handlers = {
            "attach": self._attach,
            "detach": self._detach,
            "sample": self._sample,
            "report": self._report,
            "cells": self._cells,
            "presence": self._presence,
        }

    def _attach(self, request: requests.AttachRequest) -> wire.AttachReply:
        life = self._life
        lease_s = life.leases.renew(
            request["client_id"],
            visible=request["visible"],
            rate_hz=request["rate_hz"],
            options=request["options"],
        )
        reply: wire.AttachReply = {
            "type": "attach",
            "id": request["id"],
            "hello": life.hello(),
            "lease_s": lease_s,
            "sample": life.sample(),
            "cell": life.cell(),
        }
        life.sampler.wake()  # after the reading, which the sampler's imports would slow down
        return reply

    def _detach(self, request: requests.DetachRequest) -> wire.DetachReply:
        self._life.leases.end(request["client_id"])
        return {"type": "detach", "id": request["id"]}

    @limited("repeated")
    def _sample(self, request: requests.SampleRequest) -> wire.SampleReply:
        life = self._life
        life.leases.touch(request["client_id"], DEFAULT_HZ)
        sample = life.sample()
        if sample is None:
            raise Refusal(message("refused.no_reading"))
        return {
            "type": "sample",
            "id": request["id"],
            "sample": sample,
            "cell": life.cell(),
        }

    def _report(self, request: requests.ReportRequest) -> wire.ReportReply:
        life = self._life
        is_ours = request["life_id"] == life.life_id
        report = life.reports.report(request["report_id"]) if is_ours else None
        return {
            "type": "report",
            "id": request["id"],
            "status": "known" if report else "unknown",
            "report": report,
            "released": life.reports.released(request["report_id"]) if report else None,
        }

    @limited("repeated")
    def _cells(self, request: requests.CellsRequest) -> wire.CellsReply:
        life = self._life
        runs = [run.as_wire(life.life_id) for run in life.ledger.runs()]
        return {"type": "cells", "id": request["id"], "runs": runs}

    @limited("repeated")
    def _presence(self, request: requests.PresenceRequest) -> wire.PresenceReply:
        life = self._life
        sample, cell = life.sample(), life.cell()
        return {
            "type": "presence",
            "id": request["id"],
            "sample": sample,
            "idle_since_s": None if cell is None else cell["end_s"],
        }
