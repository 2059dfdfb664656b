"""Transport of events and requests between helper and front ends."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Protocol

from ..text.format import sendable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..protocol.generated import wire

    class Channel(Protocol):
        """Sends events to every front end, and receives requests."""

        control: bool

        def open(self, answer: Callable[..., wire.Reply]) -> None:
            """Start replying to requests with the results of `answer`."""

        def send(self, event: wire.Event) -> None:
            """Send an event to every front end."""

        def send_status(self, state: str, parent: Mapping[str, Any]) -> None:
            """Send the kernel status of the request `parent`: busy or idle."""

        def close(self) -> None:
            """Restore the kernel's state of before `open`."""


TARGET = "gpu-headroom"
COMMAND = "gpuHeadroom"


class KernelChannel:
    """The channel of a Jupyter kernel (ipykernel 6.17 to 7.4).

    Events are comm messages with an empty parent header, sent without `Comm.send`, which takes the
    running cell's parent and on ipykernel 7.4 leads later requests to the busy main shell. Requests
    are debug requests with a command of the helper, on the control channel: replied to while a cell
    runs, and counted neither as activity nor as kernel state.
    """

    def __init__(self, kernel: Any, comm_id: str) -> None:
        self._kernel = kernel
        self._comm_id = comm_id
        self._topic = f"comm-{comm_id}".encode()
        self._answer: Callable[..., wire.Reply] | None = None
        self._original: Callable[..., Any] | None = None
        self._ours: Callable[..., Any] | None = None
        handlers = getattr(kernel, "control_handlers", None)
        self.control = isinstance(handlers, dict) and "debug_request" in handlers

    def open(self, answer: Callable[..., wire.Reply]) -> None:
        """Start replying to requests; a second call does nothing."""
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
        """Send an event to every front end, from any thread."""
        content = {"comm_id": self._comm_id, "data": event}
        publish(self._kernel, "comm_msg", content, parent={}, ident=self._topic)

    def send_status(self, state: str, parent: Mapping[str, Any]) -> None:
        """Send the kernel status of the request `parent`: busy or idle."""
        ident = f"kernel.{self._kernel.ident}.status".encode()
        publish(self._kernel, "status", {"execution_state": state}, parent=parent, ident=ident)

    def close(self) -> None:
        """Restore the kernel's state of before `open`.

        A handler that other code has wrapped since stays registered, and forwards every request.
        """
        if self._answer is None:
            return
        self._answer = None
        if not self.control:
            self._kernel.comm_manager.unregister_target(TARGET, self._comm_opened)
        elif self._kernel.control_handlers.get("debug_request") is self._ours:
            self._kernel.control_handlers["debug_request"] = self._original

    async def _debug_request(self, stream: Any, ident: Any, parent: Mapping[str, Any]) -> None:
        """Reply to the helper's command on the control channel; forward all others."""
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
            "body": answer(content.get("arguments"), _page_of(parent)),
        }
        _send(self._kernel, stream, "debug_reply", reply, parent=parent, ident=ident)

    def _comm_opened(self, comm: Any, _message: object) -> None:
        """Receive requests over a comm, where the kernel has no control handlers."""
        comm.on_msg(lambda message: self._comm_message(comm.comm_id, message))

    def _comm_message(self, comm_id: str, message: Mapping[str, Any]) -> None:
        answer = self._answer
        if answer is None:
            return
        reply = answer(message["content"]["data"].get("request"), _page_of(message))
        content = {"comm_id": comm_id, "data": {"reply": reply}}
        publish(self._kernel, "comm_msg", content, parent=message, ident=f"comm-{comm_id}".encode())


def _page_of(message: Mapping[str, Any]) -> str:
    """Return the sender's session id, one per connection of a front end."""
    return str((message.get("header") or {}).get("session"))


def publish(kernel: Any, kind: str, content: Mapping[str, Any], **to: Any) -> None:
    """Send a message of the request `parent` to every front end, from any thread."""
    _send(kernel, kernel.iopub_socket, kind, content, **to)


def _send(kernel: Any, stream: Any, kind: str, content: Mapping[str, Any], **to: Any) -> None:
    send = kernel.session.send
    try:
        send(stream, kind, content, **to)
    except UnicodeEncodeError:  # raised before any part was sent
        send(stream, kind, sendable(content), **to)
