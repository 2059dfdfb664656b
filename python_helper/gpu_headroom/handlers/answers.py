"""What a page may ask later: fixes, what it missed, files."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..code.side_effects import caution
from ..frameworks.torch import memory_snapshot
from ..holders.names import user_names
from ..inspection.kinds import origins
from ..text.messages import message
from .dispatcher import limited
from .queued import enqueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated import requests, wire
    from .queued import Served


class Answers:
    """The answers that have to be imported, by the type of the request."""

    def __init__(self, life: Served) -> None:
        self._life = life
        self.by_kind: dict[str, Callable[[Any], wire.Reply]] = {
            "fix": self._fix,
            "cells": self._cells,
            "snapshot": self._snapshot,
            "presence": self._presence,
        }

    def _fix(self, request: requests.FixRequest) -> wire.FixReply:
        fix = self._life.reports.fix(request["report_id"], request["remedy_id"])
        reply: wire.FixReply = {
            "type": "fix",
            "id": request["id"],
            "status": "unknown",
            "edits": [],
            "run": [],
            "message": message("fix.unknown"),
            "caution": None,
        }
        if fix is not None:
            outcome = fix.edits(request["sources"])
            reply["status"], reply["message"] = outcome.status, outcome.message
            reply["edits"], reply["run"] = list(outcome.edits), list(outcome.run)
            reply["caution"] = caution(outcome.run, request["sources"], self._models())
        return reply

    def _models(self) -> list[str]:
        """Return the names of models: what calling them does is no effect."""
        names = user_names(self._life.shell)
        return [n for n, v in names.items() if ("torch", "Module") in origins(type(v))]

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

    def _snapshot(self, request: requests.SnapshotRequest) -> wire.SnapshotReply:
        def export() -> dict[str, Any]:
            return asdict(memory_snapshot.export(request["path"], self._life.cuda.stopped))

        reply: wire.SnapshotReply = enqueue(
            self._life,
            request,
            lambda turn: turn.on_main(export),
            cancelled=lambda: {
                "path": None,
                "bytes": None,
                "message": message("snapshot.cancelled"),
            },
            key=request["id"],
            asked=False,
        )
        return reply
