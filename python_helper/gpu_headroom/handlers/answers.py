"""What a page may ask later: fixes, what it missed, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..code.side_effects import caution
from ..frameworks.torch import memory_snapshot
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, Protocol

    from ..card.reports import Reports
    from ..cells.runs import Ledger
    from ..concurrency.mainloop import Job, MainLoop
    from ..protocol import requests, wire
    from ..readings.cuda import Cuda
    from ..trends.monitor import Monitor

    class _AnswersLife(Protocol):
        """What of the helper is asked here."""

        life_id: str
        cuda: Cuda
        ledger: Ledger
        mainloop: MainLoop
        monitor: Monitor | None
        reports: Reports

        @property
        def when(self) -> Literal["queued", "waiting"]: ...
        def sample(self) -> wire.Sample | None: ...
        def cell(self) -> wire.Cell | None: ...
        def send(self, event: wire.Event) -> None: ...


class Answers:
    """The answers that have to be imported, by the type of the request."""

    def __init__(self, life: _AnswersLife) -> None:
        self._life = life
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "fix": self._fix,
            "cells": self._cells,
            "history": self._history,
            "snapshot": self._snapshot,
            "presence": self._presence,
        }

    def _fix(self, request: requests.FixRequest) -> wire.FixReply:
        fix = self._life.reports.fix(request["report_id"], request["remedy_id"])
        if fix is None:
            return {
                "type": "fix",
                "id": request["id"],
                "status": "unknown",
                "edits": [],
                "run": [],
                "message": message("fix.unknown"),
                "caution": None,
            }
        outcome = fix.edits(request["sources"])
        return {
            "type": "fix",
            "id": request["id"],
            "status": outcome.status,
            "edits": list(outcome.edits),
            "run": list(outcome.run),
            "message": outcome.message,
            "caution": caution(outcome.run, request["sources"]),
        }

    def _cells(self, request: requests.CellsRequest) -> wire.CellsReply:
        life = self._life
        runs = [run.as_wire(life.life_id) for run in life.ledger.runs()]
        return {"type": "cells", "id": request["id"], "runs": runs}

    def _history(self, request: requests.HistoryRequest) -> wire.HistoryReply:
        monitor = self._life.monitor
        points = [] if monitor is None else monitor.history.points()
        return {"type": "history", "id": request["id"], "points": points}

    def _presence(self, request: requests.PresenceRequest) -> wire.PresenceReply:
        life = self._life
        sample, cell = life.sample(), life.cell()
        return {
            "type": "presence",
            "id": request["id"],
            "sample": sample,
            "idle_since_s": None if cell is None else cell["end_s"],
        }

    def _snapshot(self, request: requests.SnapshotRequest) -> wire.SnapshotReply:
        path, status = request["path"], self._life.when
        self._life.mainloop.submit(
            ("snapshot", request["id"]),
            request["id"],
            lambda job, turn: turn.on_main(lambda: self._export(job, path)),
        )
        return {"type": "snapshot", "id": request["id"], "status": status}

    def _export(self, job: Job, path: str | None) -> None:
        written = memory_snapshot.export(path, self._life.cuda.stopped)
        for request_id in job.request_ids:
            self._life.send(
                {
                    "type": "snapshot",
                    "life_id": self._life.life_id,
                    "request_id": request_id,
                    "path": written.path,
                    "bytes": written.bytes,
                    "message": written.message,
                }
            )
