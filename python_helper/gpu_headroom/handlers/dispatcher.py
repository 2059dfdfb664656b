"""What a page may ask of the first pack, and the way to what answers the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..concurrency.mainloop import QueueFull
from ..concurrency.threads import NotNow
from ..protocol import requests
from ..readings.sampler import DEFAULT_HZ
from ..text.format import format_error
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..protocol import wire
    from ..session.session import Session

_SHOWN = 80  # characters of what a page sent, in the sentence that refuses it
_LARGEST = 10**20  # of the numbers that stand there


class Refusal(Exception):  # noqa: N818  it is an answer, not a failure of ours
    """A request that cannot be answered, with the sentence that says why."""

    def __init__(self, reason: wire.Message) -> None:
        super().__init__(reason["text"])
        self.reason = reason


class Desk:
    """Answers requests, on whatever thread they arrive.

    A request is answered from what is known, or its work is queued for the main
    thread; nothing here waits for a cell. Bad input gets a `refused` reply. What needs
    the second pack is answered by `answers.py`.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._answers: dict[str, Callable[[Any], wire.Reply]] = {
            "attach": self._attach,
            "detach": self._detach,
            "sample": self._sample,
            "report": self._report,
            "pack": self._pack,
        }

    def answer(self, request: object) -> wire.Reply:
        """Answer one request; raises nothing."""
        request_id = request.get("id") if isinstance(request, dict) else None
        try:
            checked = _checked(request)
            return self._work_of(checked)(checked)
        except Refusal as refusal:
            reason = refusal.reason
        except NotNow:
            reason = message("refused.not_now")
        except QueueFull:
            reason = message("refused.full")
        except Exception as error:  # noqa: BLE001  whatever fails here must not fail the kernel
            self._session.failed("requests", error)
            reason = message("refused.failed", error=format_error(error))
        return {
            "type": "refused",
            "id": request_id if requests.is_text(request_id) else "",
            "message": reason,
        }

    def _attach(self, request: requests.AttachRequest) -> wire.AttachReply:
        session = self._session
        lease_s = session.leases.renew(
            request["client_id"],
            visible=request["visible"],
            rate_hz=request["rate_hz"],
            options=request["options"],
        )
        session.sampler.wake()
        sample = session.sample()
        return {
            "type": "attach",
            "id": request["id"],
            "hello": session.hello(),
            "lease_s": lease_s,
            "sample": sample,
            "cell": session.cell(),
        }

    def _detach(self, request: requests.DetachRequest) -> wire.DetachReply:
        self._session.leases.end(request["client_id"])
        return {"type": "detach", "id": request["id"]}

    def _sample(self, request: requests.SampleRequest) -> wire.SampleReply:
        session = self._session
        session.leases.touch(request["client_id"], DEFAULT_HZ)
        sample = session.sample()
        if sample is None:
            raise Refusal(message("refused.no_reading"))
        return {
            "type": "sample",
            "id": request["id"],
            "sample": sample,
            "cell": session.cell(),
        }

    def _report(self, request: requests.ReportRequest) -> wire.ReportReply:
        session = self._session
        ours = request["life_id"] == session.life_id
        report = session.reports.report(request["report_id"]) if ours else None
        return {
            "type": "report",
            "id": request["id"],
            "status": "known" if report else "unknown",
            "report": report,
            "released": session.reports.released(request["report_id"]) if report else None,
        }

    def _pack(self, request: requests.PackRequest) -> wire.PackReply:
        try:
            accepted = self._session.add_pack(request["data"])
        except (ValueError, RecursionError):  # nothing of it was taken up
            raise Refusal(message("refused.malformed", key="data")) from None
        return {"type": "pack", "id": request["id"], "accepted": accepted}

    def _work_of(self, request: Mapping[str, Any]) -> Callable[[Any], wire.Reply]:
        """Return what answers a request; raises `Refusal` before its part of the helper is here."""
        kind = request["type"]
        if kind not in self._answers:
            if not self._session.complete:
                raise Refusal(message("refused.incomplete"))
            self.complete()
        return self._answers[kind]

    def complete(self) -> None:
        """Import what answers the rest, once it is here."""
        from .answers import Answers

        self._answers = {**Answers(self._session).by_kind, **self._answers}


def _checked(request: object) -> Mapping[str, Any]:
    """Return a request of the right shape; raises `Refusal`."""
    if not isinstance(request, dict):
        raise Refusal(message("refused.malformed", key="type"))
    version, kind = request.get("protocol_version"), request.get("type")
    if requests.is_text(version) and not requests.same_major(version):
        spoken = requests.PROTOCOL_VERSION
        raise Refusal(message("refused.protocol", helper=spoken, page=version[:_SHOWN]))
    if not isinstance(kind, str) or kind not in requests.REQUESTS:
        raise Refusal(message("refused.unknown", name=_shown(kind)))
    flaw = requests.flaw(request)
    if flaw:
        raise Refusal(message("refused.malformed", key=flaw))
    return cast("Mapping[str, Any]", request)


def _shown(sent: object) -> str:
    """Return what a page sent as far as it can stand in a sentence: the beginning of plain text."""
    plain = sent if isinstance(sent, str) else str(sent) if _is_short(sent) else "…"
    return plain[:_SHOWN].encode(errors="replace").decode()


def _is_short(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and abs(value) < _LARGEST)
