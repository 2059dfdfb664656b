"""The way out for events and in for requests, and the leases that keep it open."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from .format import sendable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from . import protocol, wire

TARGET = "gpu-headroom"
COMMAND = "gpuHeadroom"
LEASE_S = 30.0
EDGES_LEASE_S = 90.0
_SLOWEST_HZ, _FASTEST_HZ = 0.2, 10.0
_MOST_CLIENTS = 64
_CAUTION = ("never", "ask", "free")


class Channel(Protocol):
    """Carries events to every page and requests to the helper."""

    control: bool

    def open(self, answer: Callable[[object], wire.Reply]) -> None:
        """Begin to answer requests."""

    def send(self, event: wire.Event) -> None:
        """Send an event to every page."""

    def send_status(self, state: str, parent: Mapping[str, Any]) -> None:
        """Say on behalf of the kernel that the request `parent` is busy or idle."""

    def close(self) -> None:
        """Leave the kernel as it was before `open`."""


class KernelChannel:
    """The channel of a Jupyter kernel (ipykernel 6.17 to 7.4).

    Events go out as comm messages with an empty parent header, through the session
    and not through `Comm.send`, which borrows the running cell's parent and on
    ipykernel 7.4 leads later requests to the busy main shell. Requests come in as
    debug requests with a command of our own, on the control channel, so that they
    are answered while a cell runs and count neither as activity nor as state.
    """

    def __init__(self, kernel: Any, comm_id: str) -> None:
        self._kernel = kernel
        self._comm_id = comm_id
        self._topic = f"comm-{comm_id}".encode()
        self._answer: Callable[[object], wire.Reply] | None = None
        self._original: Callable[..., Any] | None = None
        self._ours: Callable[..., Any] | None = None
        handlers = getattr(kernel, "control_handlers", None)
        self.control = isinstance(handlers, dict) and "debug_request" in handlers

    def open(self, answer: Callable[[object], wire.Reply]) -> None:
        """Begin to answer requests; a second call changes nothing."""
        if self._answer is not None:
            return
        self._answer = answer
        if self.control:
            handlers = self._kernel.control_handlers
            self._original = handlers["debug_request"]
            self._ours = handlers["debug_request"] = self._debug_request
        else:
            self._kernel.comm_manager.register_target(TARGET, self._comm_opened)

    def send(self, event: wire.Event) -> None:
        """Send an event to every page, from any thread."""
        content = {"comm_id": self._comm_id, "data": event}
        self._publish("comm_msg", content, parent={}, ident=self._topic)

    def send_status(self, state: str, parent: Mapping[str, Any]) -> None:
        """Say on behalf of the kernel that the request `parent` is busy or idle."""
        ident = f"kernel.{self._kernel.ident}.status".encode()
        self._publish("status", {"execution_state": state}, parent=parent, ident=ident)

    def close(self) -> None:
        """Leave the kernel as it was before `open`.

        Where somebody has wrapped our handler since, it stays and passes all on.
        """
        if self._answer is None:
            return
        self._answer = None
        if not self.control:
            self._kernel.comm_manager.unregister_target(TARGET, self._comm_opened)
        elif self._kernel.control_handlers.get("debug_request") is self._ours:
            self._kernel.control_handlers["debug_request"] = self._original

    def _publish(
        self, kind: str, content: Mapping[str, Any], *, parent: Mapping[str, Any], ident: bytes
    ) -> None:
        self._send(self._kernel.iopub_socket, kind, content, parent=parent, ident=ident)

    def _send(self, stream: Any, kind: str, content: Mapping[str, Any], **to: Any) -> None:
        send = self._kernel.session.send
        try:
            send(stream, kind, content, **to)
        except UnicodeEncodeError:  # before anything of it was sent
            send(stream, kind, sendable(content), **to)

    async def _debug_request(self, stream: Any, ident: Any, parent: Mapping[str, Any]) -> None:
        """Answer our command on the control channel; pass every other one on."""
        content = parent.get("content") or {}
        answer = self._answer
        if answer is None or content.get("command") != COMMAND:
            result = self._original(stream, ident, parent) if self._original else None
            if inspect.isawaitable(result):
                await result
            return
        reply = {
            "type": "response",
            "request_seq": content.get("seq"),
            "success": True,
            "command": COMMAND,
            "body": answer(content.get("arguments")),
        }
        self._send(stream, "debug_reply", reply, parent=parent, ident=ident)

    def _comm_opened(self, comm: Any, _message: object) -> None:
        """Take requests over a comm, where the kernel has no control handlers."""
        comm.on_msg(lambda message: self._comm_message(comm.comm_id, message))

    def _comm_message(self, comm_id: str, message: Mapping[str, Any]) -> None:
        answer = self._answer
        if answer is None:
            return
        reply = answer(message["content"]["data"].get("request"))
        content = {"comm_id": comm_id, "data": {"reply": reply}}
        self._publish("comm_msg", content, parent=message, ident=f"comm-{comm_id}".encode())


@dataclass(frozen=True, slots=True)
class _Lease:
    ends_s: float
    visible: bool
    rate_hz: float
    options: protocol.Options | None


class Leases:
    """Who wants events, until when, how often, and with which options.

    A lease ends unless renewed. One that looks gets readings; one that does not gets the
    edges of cells only, and lasts longer, so that a page need not ask often.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._leases: dict[str, _Lease] = {}

    def renew(
        self,
        client_id: str,
        *,
        visible: bool,
        rate_hz: float,
        options: protocol.Options | None = None,
    ) -> float:
        """Start or renew a client's lease, and return for how many seconds."""
        lease_s = LEASE_S if visible else EDGES_LEASE_S
        lease = _Lease(self._clock() + lease_s, visible, rate_hz, options)
        self._leases = self._fresh() | {client_id: lease}
        while len(self._leases) > _MOST_CLIENTS:
            del self._leases[next(iter(self._leases))]
        return lease_s

    def touch(self, client_id: str, default_hz: float) -> None:
        """Renew a client's lease as it was; one that asks is one that looks."""
        lease = self._leases.get(client_id)
        rate_hz, options = (lease.rate_hz, lease.options) if lease else (default_hz, None)
        self.renew(client_id, visible=True, rate_hz=rate_hz, options=options)

    def end(self, client_id: str) -> None:
        """End a client's lease."""
        lease = self._leases.get(client_id)
        if lease is not None:
            ended = replace(lease, ends_s=min(lease.ends_s, self._clock()))
            self._leases = self._leases | {client_id: ended}

    def wanted_hz(self) -> float | None:
        """Return the highest rate that a client which looks wants; `None`: nobody looks."""
        rates = [each.rate_hz for each in self._fresh().values() if each.visible]
        return min(max(*rates, _SLOWEST_HZ), _FASTEST_HZ) if rates else None

    def options(self) -> protocol.Options:
        """Return what all clients that are there agree on: the cautious side of each option.

        When all have gone, the wishes of the one who left last hold on: a cell may run for
        hours after its page was closed, and fail then.
        """
        wishes = [each.options for each in self._fresh().values() if each.options]
        left = sorted(self._leases.values(), key=lambda each: each.ends_s)
        return _cautious(wishes or [each.options for each in left if each.options][-1:])

    def any(self) -> bool:
        """Whether some client is there, looking or not."""
        return bool(self._fresh())

    def _fresh(self) -> dict[str, _Lease]:
        now_s = self._clock()
        return {each: lease for each, lease in self._leases.items() if lease.ends_s > now_s}


def _cautious(wishes: list[protocol.Options]) -> protocol.Options:
    after_oom = [each["after_oom"] for each in wishes]
    return {
        "mark_cells": all(each["mark_cells"] for each in wishes),
        "keep_reports": all(each["keep_reports"] for each in wishes),
        "record_allocations": bool(wishes) and all(each["record_allocations"] for each in wishes),
        "after_oom": min(after_oom, key=_CAUTION.index, default="ask"),
    }
