"""The wing of edits: what a click on the button of one gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..holders.names import user_names
from ..inspection.kinds import origins
from ..session.wing import Wing
from ..text.messages import message
from .side_effects import caution

if TYPE_CHECKING:
    from ..handlers.dispatcher import Handlers
    from ..protocol.generated import requests, wire
    from .code_fix import CodeFix


class Edits(Wing):
    """Makes the edit of a report in the cells as they are now."""

    def handlers(self) -> Handlers:
        """Return what answers the request for it."""
        return {"fix": self._fix}

    def _fix(self, request: requests.FixRequest) -> wire.FixReply:
        reply: wire.FixReply = {
            "type": "fix",
            "id": request["id"],
            "status": "unknown",
            "edits": [],
            "run": [],
            "message": message("fix.unknown"),
            "caution": None,
        }
        fix: CodeFix | None = self.host.reports.fix(request["report_id"], request["remedy_id"])
        if fix is not None:
            reply["status"], reply["message"], edits, run = fix.edits(request["sources"])
            reply["edits"], reply["run"] = list(edits), list(run)
            reply["caution"] = caution(run, request["sources"], self._models())
        return reply

    def _models(self) -> list[str]:
        """Return the names of models: what calling them does is no effect."""
        names = user_names(self.host.shell)
        return [n for n, v in names.items() if ("torch", "Module") in origins(type(v))]


WING = Edits
