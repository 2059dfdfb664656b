"""First requests of a front end: leases, and replies from the last known state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..readings.interval import DEFAULT_HZ
from ..text.messages import message
from .dispatcher import RefusedError, limited

if TYPE_CHECKING:
    from ..protocol.generated import requests, wire
    from .dispatcher import Handlers
    from .queued import Served


class Basics:
    """Handlers that need no walk and no import, by request type."""

    def __init__(self, helper: Served) -> None:
        self._helper = helper
        self.by_kind: Handlers = {
            "attach": self._attach,
            "detach": self._detach,
            "sample": self._sample,
            "report": self._report,
            "cells": self._cells,
            "presence": self._presence,
        }

    def _attach(self, request: requests.AttachRequest) -> wire.AttachReply:
        helper = self._helper
        lease_s = helper.leases.renew(
            request["client_id"],
            visible=request["visible"],
            rate_hz=request["rate_hz"],
            options=request["options"],
        )
        reply: wire.AttachReply = {
            "type": "attach",
            "id": request["id"],
            "hello": helper.hello(),
            "lease_s": lease_s,
            "sample": helper.sample(),
            "cell": helper.cell(),
        }
        helper.sampler.wake()  # after the reading, which the sampler's imports would slow down
        return reply

    def _detach(self, request: requests.DetachRequest) -> wire.DetachReply:
        self._helper.leases.end(request["client_id"])
        return {"type": "detach", "id": request["id"]}

    @limited("repeated")
    def _sample(self, request: requests.SampleRequest) -> wire.SampleReply:
        helper = self._helper
        helper.leases.touch(request["client_id"], DEFAULT_HZ)
        sample = helper.sample()
        if sample is None:
            raise RefusedError(message("refused.no_reading"))
        return {
            "type": "sample",
            "id": request["id"],
            "sample": sample,
            "cell": helper.cell(),
        }

    def _report(self, request: requests.ReportRequest) -> wire.ReportReply:
        helper = self._helper
        is_ours = request["helper_id"] == helper.helper_id
        report = helper.reports.report(request["report_id"]) if is_ours else None
        return {
            "type": "report",
            "id": request["id"],
            "status": "known" if report else "unknown",
            "report": report,
            "released": helper.reports.released(request["report_id"]) if report else None,
        }

    @limited("repeated")
    def _cells(self, request: requests.CellsRequest) -> wire.CellsReply:
        helper = self._helper
        runs = [run.as_wire(helper.helper_id) for run in helper.ledger.runs()]
        return {"type": "cells", "id": request["id"], "runs": runs}

    @limited("repeated")
    def _presence(self, request: requests.PresenceRequest) -> wire.PresenceReply:
        helper = self._helper
        sample, cell = helper.sample(), helper.cell()
        return {
            "type": "presence",
            "id": request["id"],
            "sample": sample,
            "idle_since_s": None if cell is None else cell["end_s"],
        }
