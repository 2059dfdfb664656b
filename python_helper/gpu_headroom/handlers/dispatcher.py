"""From a request to what answers it: the check of its shape, and one table of handlers."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, cast

from ..concurrency.mainloop import QueueFull
from ..concurrency.threads import NotNow
from ..protocol import checking
from ..text.format import format_error
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal, TypeVar

    from ..protocol.generated import wire

    Handler = Callable[[Any], wire.Reply]
    Handlers = dict[str, Handler]
    Method = TypeVar("Method", bound=Callable[..., object])

_MOST_AT_ONCE, _MOST_EACH_SECOND = 40, 20  # of these, for one page
_MOST_PAGES = 64
_SHOWN = 80  # characters of what a page sent, in the sentence that refuses it
_LARGEST = 10**20  # of the numbers that stand there


def limited(how: Literal["repeated", "refused"]) -> Callable[[Method], Method]:
    """Mark a handler that only looks: what becomes of it where a page asks too often.

    What is known is `repeated` as it was last sent; what takes a walk is `refused`.
    """

    def mark(handler: Method) -> Method:
        vars(handler)["limit"] = how
        return handler

    return mark


class Refusal(Exception):  # noqa: N818  it is an answer, not a failure of ours
    """A request that cannot be answered, with the sentence that says why."""

    def __init__(self, reason: wire.Message) -> None:
        super().__init__(reason["text"])
        self.reason = reason


class _Page:
    """What one page has asked of late: how much it may yet ask, and its last answers, by kind."""

    def __init__(self) -> None:
        self._left = float(_MOST_AT_ONCE)
        self._asked_s = time.monotonic()
        self._answers: dict[str, tuple[Mapping[str, Any], wire.Reply]] = {}

    def may_ask(self) -> bool:
        """Whether this one is answered anew."""
        now_s = time.monotonic()
        earned = (now_s - self._asked_s) * _MOST_EACH_SECOND
        self._left, self._asked_s = min(self._left + earned, float(_MOST_AT_ONCE)), now_s
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def keep(self, request: Mapping[str, Any], reply: wire.Reply) -> None:
        """Keep an answer for whoever asks too often."""
        self._answers[request["type"]] = {**request, "id": ""}, reply

    def last(self, request: Mapping[str, Any]) -> wire.Reply:
        """Return the last answer to the same question; raises `Refusal` where there is none."""
        question, reply = self._answers.get(request["type"], (None, None))
        if reply is None or question != {**request, "id": ""}:
            raise Refusal(message("refused.too_often"))
        return cast("wire.Reply", {**reply, "id": request["id"]})


class Dispatcher:
    """Has requests answered, on whatever thread they arrive.

    A request is answered from what is known, or its work is queued for the main thread; nothing
    here waits for a cell. Bad input gets a `refused` reply. `handlers` answer at once; `rest`
    imports all others, which takes a moment: on first need, or when `prepare` says so.

    A page that asks without end what only looks gets its last answer again, or a refusal: each
    answer is time of a kernel in which a thread may be training. What does something is done.
    """

    def __init__(
        self,
        handlers: Handlers,
        rest: Callable[[], Handlers],
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self._handlers = handlers
        self._rest = rest
        self._failed = failed
        self._pages: OrderedDict[str, _Page] = OrderedDict()

    def answer(self, request: object, page: str = "") -> wire.Reply:
        """Answer one request of a page; raises nothing."""
        request_id = request.get("id") if isinstance(request, dict) else None
        try:
            return self._answer(_checked(request), page)
        except Refusal as refusal:
            reason = refusal.reason
        except NotNow:
            reason = message("refused.not_now")
        except QueueFull:
            reason = message("refused.full")
        except Exception as error:  # noqa: BLE001  whatever fails here must not fail the kernel
            self._failed("requests", error)
            reason = message("refused.failed", error=format_error(error))
        return {
            "type": "refused",
            "id": request_id if checking.is_text(request_id) else "",
            "message": reason,
        }

    def prepare(self) -> None:
        """Take up all handlers."""
        # On two threads at once: what is there remembers what it has answered, and stays.
        for kind, handler in self._rest().items():
            self._handlers.setdefault(kind, handler)

    def _answer(self, request: Mapping[str, Any], page: str) -> wire.Reply:
        handler = self._handler_of(request["type"])
        limit = getattr(handler, "limit", None)
        if limit is None:
            return handler(request)
        asker = self._pages.setdefault(page, _Page())
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        if not asker.may_ask():
            return asker.last(request)
        reply = handler(request)
        if limit == "repeated":
            asker.keep(request, reply)
        return reply

    def _handler_of(self, kind: str) -> Handler:
        if kind not in self._handlers:
            self.prepare()
        if kind not in self._handlers:
            raise NotNow  # a page brings what is for workers
        return self._handlers[kind]


def _checked(request: object) -> Mapping[str, Any]:
    """Return a request of the right shape; raises `Refusal`."""
    if not isinstance(request, dict):
        raise Refusal(message("refused.malformed", key="type"))
    version, kind = request.get("protocol_version"), request.get("type")
    if checking.is_text(version) and not checking.same_major(version):
        spoken = checking.PROTOCOL_VERSION
        raise Refusal(message("refused.protocol", helper=spoken, page=version[:_SHOWN]))
    if not isinstance(kind, str) or kind not in checking.REQUESTS:
        raise Refusal(message("refused.unknown", name=_shown(kind)))
    flaw = checking.flaw(request)
    if flaw:
        raise Refusal(message("refused.malformed", key=flaw))
    return cast("Mapping[str, Any]", request)


def _shown(sent: object) -> str:
    """Return what a page sent as far as it can stand in a sentence: the beginning of plain text."""
    is_short = sent is None or (isinstance(sent, (int, float)) and abs(sent) < _LARGEST)
    plain = sent if isinstance(sent, str) else str(sent) if is_short else "…"
    return plain[:_SHOWN].encode(errors="replace").decode()
