"""A page whose frames talk to a kernel by comms, and that delivers as little as it may.

What public reports of Colab come to (googlecolab/colabtools#3373): a comm message reaches its
frame only while the request that it belongs to is under way.
"""

from __future__ import annotations

import itertools
import json
import re
import uuid
from html import unescape
from typing import TYPE_CHECKING, Any, cast

from gpu_headroom import testing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live import LiveKernel

TARGET = "gpu-headroom-frame"


class FramePage:
    """One frame, of the output with this id, over a comm of its own."""

    def __init__(self, kernel: LiveKernel, uid: str | None = None) -> None:
        self._kernel = kernel
        self.uid = uid or uuid.uuid4().hex
        self.comm_id = uuid.uuid4().hex
        self._polls = itertools.count(1)
        data = {"version": "1", "uid": self.uid, "helper_id": ""}
        kernel.send_shell(
            "comm_open", {"comm_id": self.comm_id, "target_name": TARGET, "data": data}
        )

    def send(self, **message: Any) -> None:
        """Send a message without waiting for what comes of it."""
        content = {"comm_id": self.comm_id, "data": {"seen": self.seen, **message}}
        self._kernel.send_shell("comm_msg", content)

    def poll(self) -> dict[str, Any]:
        """Ask what is new, and return the answer."""
        number = next(self._polls)
        self.send(poll=number)
        return self.await_envelope(lambda envelope: envelope["poll"] == number)

    def ask(self, kind: str, **keys: Any) -> dict[str, Any]:
        """Send a request, and return the envelope with its reply."""
        request = {"type": kind, "id": uuid.uuid4().hex, "protocol_version": "2.0", **keys}
        self.send(request=request)
        answer = self.await_envelope(lambda item: (item["reply"] or {}).get("id") == request["id"])
        testing.check(answer["reply"], "reply")
        return answer

    def await_envelope(self, condition: Any) -> dict[str, Any]:
        """Wait for the first delivered envelope of this kind."""
        self._kernel.until(lambda: any(map(condition, self.delivered)))
        return next(filter(condition, self.delivered))

    def await_event(self, kind: str) -> dict[str, Any]:
        """Wait for an event of this kind that is delivered, and return the last one."""
        self._kernel.until(lambda: bool(self.events(kind)))
        return self.events(kind)[-1]

    @property
    def delivered(self) -> list[dict[str, Any]]:
        """What has reached the frame, in order."""
        return [data for data, parent_is_under_way in self._sent() if parent_is_under_way]

    @property
    def dropped(self) -> list[dict[str, Any]]:
        """What was sent when it could not be handed on."""
        return [data for data, parent_is_under_way in self._sent() if not parent_is_under_way]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind that reached the frame, each number once."""
        numbered = {n: event for envelope in self.delivered for n, event in envelope["events"]}
        for event in numbered.values():
            testing.check(event, "event")
        return [event for _, event in sorted(numbered.items()) if event["type"] == kind]

    @property
    def seen(self) -> int:
        """The highest number that reached the frame."""
        return max((n for envelope in self.delivered for n, _ in envelope["events"]), default=0)

    def _sent(self) -> Iterator[tuple[dict[str, Any], bool]]:
        under_way = set()
        for message in self._kernel.messages():
            parent = message["parent_header"].get("msg_id")
            if message["msg_type"] == "status":
                busy = message["content"]["execution_state"] == "busy"
                under_way.add(parent) if busy else under_way.discard(parent)
            if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == self.comm_id:
                testing.check(message["content"]["data"], "frame_envelope")
                yield message["content"]["data"], parent in under_way


def beacons(kernel: LiveKernel, uid: str) -> list[list[dict[str, Any]]]:
    """Return what the kernel told an output that has not opened its comm, for each comm of its."""
    comms: dict[str, list[dict[str, Any]]] = {}
    for message in kernel.messages():
        content, kind = message["content"], message["msg_type"]
        if kind == "comm_open" and content["target_name"] == f"{TARGET}/{uid}":
            comms[content["comm_id"]] = [content["data"]]
        elif kind == "comm_msg" and content["comm_id"] in comms:
            comms[content["comm_id"]].append(content["data"])
        elif kind == "comm_close" and content["comm_id"] in comms:
            comms[content["comm_id"]].append({"events": [], "closed": True})
    return list(comms.values())


def html_of(kernel: LiveKernel, request: str) -> str:
    """Return the HTML that a cell displayed last."""
    return displayed(kernel, request)["text/html"]


def displayed(kernel: LiveKernel, request: str) -> dict[str, str]:
    """Return what a cell displayed last that has HTML, by the types of its forms."""
    bundles = [
        message["content"]["data"]
        for message in kernel.messages()
        if message["msg_type"] == "display_data"
        and message["parent_header"].get("msg_id") == request
        and "text/html" in message["content"]["data"]
    ]
    return cast("dict[str, str]", bundles[-1])


def ids_in(html: str) -> dict[str, Any]:
    """Return what the script of an output is told about it."""
    match = re.search(r'data-gpu-headroom="([^"]*)"', html)
    assert match, html[:500]
    return cast("dict[str, Any]", json.loads(unescape(match[1])))
