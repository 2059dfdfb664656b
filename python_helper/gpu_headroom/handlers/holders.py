"""Requests about what uses GPU memory: holders, reference paths, allocator snapshots."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import ConcurrentUseError
from ..frameworks.torch import memory_snapshot
from ..text.messages import message
from .dispatcher import limited
from .queued import enqueue

if TYPE_CHECKING:
    from ..concurrency.turns import Turn
    from ..protocol.generated import requests, wire
    from .dispatcher import Handlers
    from .queued import Fields, Served


class HolderRequests:
    """Queues walks for the main thread; their results are sent as events.

    While a cell runs, only the last account is available.
    """

    def __init__(self, helper: Served) -> None:
        self._helper = helper
        self._last: wire.Holders | None = None
        self.by_kind: Handlers = {
            "holders": self._holders,
            "path": self._path,
            "snapshot": self._snapshot,
        }

    @limited("refused")
    def _holders(self, request: requests.HoldersRequest) -> wire.HoldersReply:
        def work(turn: Turn) -> Fields:
            from ..holders.measure import measure

            self._last = measure(self._helper, request["id"], turn)
            return self._last

        def not_measured(why: wire.Message) -> Fields:
            from ..holders.measure import not_measured

            return not_measured(self._helper.helper_id, None, why)

        reply: wire.HoldersReply = enqueue(
            self._helper,
            request,
            work,
            cancelled=lambda: not_measured(message("holders.cancelled")),
            failed=lambda error: not_measured(message("holders.failed", error=error)),
            part="holders",
            asked=request["asked"],
            rests=True,
        )
        reply["last"] = self._last
        return reply

    @limited("refused")
    def _path(self, request: requests.PathRequest) -> wire.PathReply:
        helper, holder_id = self._helper, request["holder_id"]

        def no_ways(why: wire.Message) -> Fields:
            return {"holder_id": holder_id, "complete": False, "paths": [], "message": why}

        def work(turn: Turn) -> Fields:
            from ..holders.paths import find

            if helper.cuda.stopped:
                return no_ways(helper.cuda.stopped)
            try:
                ways = find(holder_id, helper.shell, helper.sampler.measure(), turn)
            except ConcurrentUseError:
                return no_ways(message("holders.disturbed"))
            return {**no_ways(ways.message), "complete": ways.complete, "paths": ways.paths}

        reply: wire.PathReply = enqueue(
            helper,
            request,
            work,
            cancelled=lambda: no_ways(message("holders.cancelled")),
            failed=lambda error: no_ways(message("path.broken_off", error=error)),
            part="holders",
            key=holder_id,
            rests=True,
        )
        return reply

    def _snapshot(self, request: requests.SnapshotRequest) -> wire.SnapshotReply:
        def export() -> dict[str, Any]:
            return asdict(memory_snapshot.export(request["path"], self._helper.cuda.stopped))

        reply: wire.SnapshotReply = enqueue(
            self._helper,
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
