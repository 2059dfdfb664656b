"""A debugger's front end that attaches over a socket, as VS Code does.

The messages are those of https://microsoft.github.io/debug-adapter-protocol/.
"""

from __future__ import annotations

import itertools
import json
import socket
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE_S = 60.0


class Adapter:
    """A connection to `debugpy` in a kernel, with one breakpoint in one file."""

    def __init__(self, port: int, file: Path, line: int) -> None:
        self._numbers = itertools.count(1)
        self._events: list[dict[str, Any]] = []
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_S)
        self._stream = self._socket.makefile("rb")
        self._thread = 0
        self._ask("initialize", {"adapterID": "debugpy", "pathFormat": "path"})
        request = self._send("attach", {"justMyCode": False})
        self._event("initialized")
        source = {"path": str(file)}
        self._ask("setBreakpoints", {"source": source, "breakpoints": [{"line": line}]})
        self._ask("configurationDone", {})
        self._answer(request)

    def await_stop(self) -> None:
        """Wait until a thread stands at a line."""
        self._thread = self._event("stopped")["body"]["threadId"]

    def step(self) -> None:
        """Go on to the next line."""
        self._ask("next", {"threadId": self._thread})
        self.await_stop()

    def close(self) -> None:
        """Let everything go on."""
        self._ask("disconnect", {"terminateDebuggee": False})
        self._socket.close()

    def _ask(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._answer(self._send(command, arguments))

    def _send(self, command: str, arguments: dict[str, Any]) -> int:
        number = next(self._numbers)
        content = {"seq": number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(content).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        return number

    def _answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self._read()
            if message["type"] == "response" and message["request_seq"] == number:
                assert message["success"], message
                return message
            self._events.append(message)

    def _event(self, name: str) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            for message in self._events:
                if message.get("event") == name:
                    self._events.remove(message)
                    return message
            self._events.append(self._read())
        raise AssertionError(f"no {name}: {self._events}")

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._stream.readline().strip():
            length = int(line.rpartition(b":")[2])
        message: dict[str, Any] = json.loads(self._stream.read(length))
        return message
