"""Request dispatch: the check of a request's shape, and one table of handlers."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, cast

from ..concurrency.mainloop import QueueFull
from ..concurrency.threads import LockTimeoutError
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

_MOST_AT_ONCE, _MOST_EACH_SECOND = 40, 20  # limited requests of one front end
_MOST_PAGES = 64
_SHOWN = 80  # characters of a sent value in the message of a refusal
_LARGEST = 10**20  # of the numbers shown there


def limited(how: Literal["repeated", "refused"]) -> Callable[[Method], Method]:
    """Mark a handler that only reads as limited in rate, and choose the reply over the limit.

    `repeated`: the last reply again; `refused`: a refusal, for a handler that needs a walk.
    """

    def mark(handler: Method) -> Method:
        vars(handler)["limit"] = how
        return handler

    return mark


class RefusedError(Exception):
    """Raised to refuse a request, with a message that states the reason."""

    def __init__(self, reason: wire.Message) -> None:
        super().__init__(reason["text"])
        self.reason = reason


class _Page:
    """Recent requests of one front end: its remaining allowance, and its last replies, by kind."""

    def __init__(self) -> None:
        self._left = float(_MOST_AT_ONCE)
        self._asked_s = time.monotonic()
        self._answers: dict[str, tuple[Mapping[str, Any], wire.Reply]] = {}

    def may_ask(self) -> bool:
        """Whether the rate limit admits another request, which is counted."""
        now_s = time.monotonic()
        credit = (now_s - self._asked_s) * _MOST_EACH_SECOND
        self._left, self._asked_s = min(self._left + credit, float(_MOST_AT_ONCE)), now_s
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def keep(self, request: Mapping[str, Any], reply: wire.Reply) -> None:
        """Store a reply, to be repeated over the rate limit."""
        self._answers[request["type"]] = {**request, "id": ""}, reply

    def last(self, request: Mapping[str, Any]) -> wire.Reply:
        """Return the last reply to the same request; raises `RefusedError` without one."""
        question, reply = self._answers.get(request["type"], (None, None))
        if reply is None or question != {**request, "id": ""}:
            raise RefusedError(message("refused.too_often"))
        return cast("wire.Reply", {**reply, "id": request["id"]})


class Dispatcher:
    """Dispatches requests, on the thread on which they arrive.

    A reply is made from the last known state, or work is queued for the main thread; nothing here
    waits for a cell. Bad input gets a `refused` reply. `handlers` are available immediately; `rest`
    imports all others, which takes a moment: on first need, or in `prepare`.

    A front end that sends too many read-only requests gets its last reply again, or a refusal: each
    reply takes time of a kernel in which a thread may be training. Other requests are not limited.
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
        """Return the reply to a request of a front end; raises nothing."""
        request_id = request.get("id") if isinstance(request, dict) else None
        try:
            return self._answer(_checked(request), page)
        except RefusedError as refusal:
            reason = refusal.reason
        except LockTimeoutError:
            reason = message("refused.not_now")
        except QueueFull:
            reason = message("refused.full")
        except Exception as error:  # noqa: BLE001  no error may reach the kernel
            self._failed("requests", error)
            reason = message("refused.failed", error=format_error(error))
        return {
            "type": "refused",
            "id": request_id if checking.is_text(request_id) else "",
            "message": reason,
        }

    def prepare(self) -> None:
        """Import all other handlers."""
        # May run on two threads at once: keep existing handlers, which have state.
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
            raise LockTimeoutError  # the front end sends the modules for workers, then retries
        return self._handlers[kind]


def _checked(request: object) -> Mapping[str, Any]:
    """Return a request of the right shape; raises `RefusedError`."""
    if not isinstance(request, dict):
        raise RefusedError(message("refused.malformed", key="type"))
    version, kind = request.get("protocol_version"), request.get("type")
    if checking.is_text(version) and not checking.same_major(version):
        own_version = checking.PROTOCOL_VERSION
        raise RefusedError(message("refused.protocol", helper=own_version, page=version[:_SHOWN]))
    if not isinstance(kind, str) or kind not in checking.REQUESTS:
        raise RefusedError(message("refused.unknown", name=_shown(kind)))
    flaw = checking.flaw(request)
    if flaw:
        raise RefusedError(message("refused.malformed", key=flaw))
    return cast("Mapping[str, Any]", request)


def _shown(sent: object) -> str:
    """Return a short, printable form of a sent value, for a message."""
    is_short = sent is None or (isinstance(sent, (int, float)) and abs(sent) < _LARGEST)
    plain = sent if isinstance(sent, str) else str(sent) if is_short else "…"
    return plain[:_SHOWN].encode(errors="replace").decode()
