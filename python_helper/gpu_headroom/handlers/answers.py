"""What a page may ask once the whole helper is here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frameworks.torch import memory_snapshot
from ..text.messages import message
from .holders import HolderRequests
from .release import ReleaseRequests

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..concurrency.mainloop import Job
    from ..protocol import requests, wire
    from ..session.session import Session


class Answers:
    """The answers that need the second pack, by the type of the request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "fix": self._fix,
            "cells": self._cells,
            "history": self._history,
            "snapshot": self._snapshot,
            "presence": self._presence,
            **HolderRequests(session).by_kind,
            **ReleaseRequests(session).by_kind,
        }

    def _fix(self, request: requests.FixRequest) -> wire.FixReply:
        fix = self._session.reports.fix(request["report_id"], request["remedy_id"])
        if fix is None:
            return {
                "type": "fix",
                "id": request["id"],
                "status": "unknown",
                "edits": [],
                "run": [],
                "message": message("fix.unknown"),
            }
        outcome = fix.edits(request["sources"])
        return {
            "type": "fix",
            "id": request["id"],
            "status": outcome.status,
            "edits": list(outcome.edits),
            "run": list(outcome.run),
            "message": outcome.message,
        }

    def _cells(self, request: requests.CellsRequest) -> wire.CellsReply:
        session = self._session
        runs = [run.as_wire(session.life_id) for run in session.ledger.runs()]
        return {"type": "cells", "id": request["id"], "runs": runs}

    def _history(self, request: requests.HistoryRequest) -> wire.HistoryReply:
        lookout = self._session.lookout
        points = [] if lookout is None else lookout.history.points()
        return {"type": "history", "id": request["id"], "points": points}

    def _presence(self, request: requests.PresenceRequest) -> wire.PresenceReply:
        session = self._session
        sample, cell = session.sample(), session.cell()
        return {
            "type": "presence",
            "id": request["id"],
            "sample": sample,
            "idle_since_s": None if cell is None else cell["end_s"],
        }

    def _snapshot(self, request: requests.SnapshotRequest) -> wire.SnapshotReply:
        path, status = request["path"], self._session.when
        self._session.mainloop.submit(
            ("snapshot", request["id"]),
            request["id"],
            lambda job, turn: turn.on_main(lambda: self._export(job, path)),
        )
        return {"type": "snapshot", "id": request["id"], "status": status}

    def _export(self, job: Job, path: str | None) -> None:
        written = memory_snapshot.export(path, self._session.poisoned)
        for request_id in job.request_ids:
            self._session.send(
                {
                    "type": "snapshot",
                    "life_id": self._session.life_id,
                    "request_id": request_id,
                    "path": written.path,
                    "bytes": written.bytes,
                    "message": written.message,
                }
            )
