"""A debugger's front end: JupyterLab's, which talks through the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.live import LiveKernel

_HELLO = {
    "clientID": "a-page",
    "adapterID": "",
    "pathFormat": "path",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsRunInTerminalRequest": True,
    "locale": "en",
}


class Debugger:
    """JupyterLab's debugger with one breakpoint in one cell."""

    def __init__(self, kernel: LiveKernel) -> None:
        self._kernel = kernel
        self._thread = 0
        assert self._ask("initialize", _HELLO)["success"]
        assert self._ask("attach", {})["success"]

    def stop_in(self, code: str, line: int) -> str:
        """Run a cell to its line number `line`, and return the id of the request."""
        source = {"path": self._ask("dumpCell", {"code": code})["body"]["sourcePath"]}
        arguments = {"breakpoints": [{"line": line}], "source": source, "sourceModified": False}
        assert self._ask("setBreakpoints", arguments)["success"]
        assert self._ask("configurationDone", {})["success"]
        since = self._kernel.now
        request = self._kernel.submit(code)
        self._await_stop(since)
        return request

    def threads(self) -> list[str]:
        """Return the names of the threads that it holds."""
        return [thread["name"] for thread in self._ask("threads", {})["body"]["threads"]]

    def step(self) -> None:
        """Go on to the next line."""
        since = self._kernel.now
        assert self._ask("next", {"threadId": self._thread})["success"]
        self._await_stop(since)

    def go_on(self) -> None:
        """Let the cell run to its end, and disconnect."""
        assert self._ask("continue", {"threadId": self._thread})["success"]

    def disconnect(self) -> None:
        """Close the debugger."""
        self._ask("disconnect", {"restart": False, "terminateDebuggee": False})

    def _ask(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._kernel.debug(command, arguments)

    def _await_stop(self, since: int) -> None:
        def stops() -> list[dict[str, Any]]:
            events = [
                message["content"]
                for message in self._kernel.messages(since)
                if message["msg_type"] == "debug_event"
            ]
            return [message["body"] for message in events if message.get("event") == "stopped"]

        self._kernel.until(lambda: bool(stops()))
        self._thread = stops()[0]["threadId"]
