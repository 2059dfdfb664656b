"""A real Jupyter server, and a page's connection to one of its kernels."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import uuid
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.live import WITHOUT_HELPER, Latch
from websocket import create_connection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE_S = 60.0
CULL_AFTER_S = 4


class Server:
    """A real jupyter_server that culls kernels after a few idle seconds."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.folder = folder
        kernels = folder / "share" / "kernels"
        (kernels / "tested").mkdir(parents=True)
        argv = [str(python), "-c", WITHOUT_HELPER, "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": "Tested", "language": "python"}
        (kernels / "tested" / "kernel.json").write_text(json.dumps(spec))
        self._token = secrets.token_hex()
        self._log = folder / "server.log"
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"),
                *("--port=0", "--ServerApp.ip=127.0.0.1"),
                f"--IdentityProvider.token={self._token}",
                f"--MappingKernelManager.cull_idle_timeout={CULL_AFTER_S}",
                "--MappingKernelManager.cull_interval=1",
                "--MappingKernelManager.cull_connected=True",
                # A person's own extensions are not what is tested.
                "--ServerApp.jpserver_extensions={}",
            ],
            stdout=self._log.open("w"),
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={
                **os.environ,
                "JUPYTER_PATH": str(folder / "share"),
                "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
                "JUPYTER_CONFIG_DIR": str(folder / "config"),
                "IPYTHONDIR": str(folder / "ipython"),
                "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            },
        )
        self.port = self._await_port()

    def close(self) -> None:
        """Shut the server down, and its kernels with it."""
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def rest(self, method: str, path: str, data: object = None) -> Any:
        """Ask the REST API."""
        request = Request(
            f"http://127.0.0.1:{self.port}/api/{path}",
            method=method,
            data=None if data is None else json.dumps(data).encode(),
            headers={"Authorization": f"token {self._token}"},
        )
        with urlopen(request, timeout=PATIENCE_S) as response:  # noqa: S310  our own server
            body = response.read()
        return json.loads(body) if body else None

    def connect(self, path: str) -> Any:
        """Open a WebSocket."""
        return create_connection(
            f"ws://127.0.0.1:{self.port}/api/{path}",
            header=[f"Authorization: token {self._token}"],
            timeout=PATIENCE_S,
        )

    @staticmethod
    def _listens(port: int) -> bool:
        """Whether the server takes connections: it says where it is a moment before it is there."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def _await_port(self) -> int:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            match = re.search(r"http://127\.0\.0\.1:(\d+)/", self._log.read_text())
            if match and self._listens(int(match[1])):
                return int(match[1])
            time.sleep(0.1)
        raise AssertionError(self._log.read_text())


class Page:
    """One browser page's connection to one kernel of the server: a new one unless named."""

    def __init__(self, server: Server, kernel_id: str | None = None) -> None:
        self._server = server
        self.id = kernel_id or server.rest("POST", "kernels", {"name": "tested"})["id"]
        self._session = uuid.uuid4().hex
        self._replies: dict[str, Any] = {}
        self._ended: set[str] = set()
        self._printed: list[str] = []
        self._events: list[dict[str, Any]] = []
        self.connect()

    def connect(self, *, wait: bool = True) -> str:
        """Open the connection, or open it again; wait for an idle kernel.

        Return the id of the first request.
        """
        self._socket = self._server.connect(
            f"kernels/{self.id}/channels?session_id={self._session}"
        )
        message_id = self.send("kernel_info_request", {})
        if wait and self.state != "busy":
            self.wait(message_id)
        return message_id

    def disconnect(self) -> None:
        """Close the connection; the kernel stays."""
        self._socket.close()

    def close(self) -> None:
        """Close the page and end the kernel."""
        self.disconnect()
        if self.model() is not None:
            self._server.rest("DELETE", f"kernels/{self.id}")

    def model(self) -> Any:
        """What the server says of the kernel; `None` once it is gone."""
        try:
            return self._server.rest("GET", f"kernels/{self.id}")
        except HTTPError as error:
            if error.code == 404:
                return None
            raise

    @property
    def state(self) -> str:
        """What the server believes that the kernel does."""
        return str(self.model()["execution_state"])

    @property
    def last_activity(self) -> str:
        """When the server last saw the kernel at work."""
        return str(self.model()["last_activity"])

    @property
    def connections(self) -> int:
        """How many pages the server knows to be connected."""
        return int(self.model()["connections"])

    def send(self, kind: str, content: object, channel: str = "shell") -> str:
        """Send a message and return its id."""
        message_id = uuid.uuid4().hex
        header = {
            "msg_id": message_id,
            "msg_type": kind,
            "session": self._session,
            "username": "page",
            "version": "5.3",
            "date": "2026-11-21T00:00:00Z",
        }
        message = {
            "header": header,
            "parent_header": {},
            "metadata": {},
            "content": content,
            "channel": channel,
        }
        self._socket.send(json.dumps(message))
        return message_id

    def wait(self, message_id: str) -> Any:
        """Wait for the reply to a message; it may have come while another was waited for."""
        while message_id not in self._replies:
            self._receive()
        return self._replies.pop(message_id)

    def printed(self, message_id: str) -> str:
        """Return everything that was printed by the time that a message's handling ended."""
        while message_id not in self._ended:
            self._receive()
        return "".join(self._printed)

    def await_print(self, text: str) -> None:
        """Wait until cells have printed this text."""
        while text not in "".join(self._printed):
            self._receive()

    def await_event(self, kind: str, **keys: Any) -> dict[str, Any]:
        """Wait for the next event of the helper with these keys, after those already returned."""
        while True:
            while self._events:
                event = self._events.pop(0)
                if {"type": kind, **keys}.items() <= event.items():
                    return event
            self._receive()

    def _receive(self) -> None:
        message = json.loads(self._socket.recv())
        kind, content = message["msg_type"], message["content"]
        parent = message["parent_header"].get("msg_id")
        if kind.endswith("_reply"):
            self._replies[parent] = content
        elif kind == "stream":
            self._printed.append(content["text"])
        elif kind == "status" and content["execution_state"] == "idle":
            self._ended.add(parent)
        elif kind == "comm_msg" and content["comm_id"].startswith("gpu-headroom-"):
            self._events.append(content["data"])

    def latch(self) -> Latch:
        """A latch for code that runs in the kernel."""
        return Latch(self._server.folder)

    def execute(
        self, code: str, channel: str = "shell", *, silent: bool = False, **content: object
    ) -> str:
        """Send code to run and return the message's id."""
        body = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            "user_expressions": {},
            "allow_stdin": True,
            "stop_on_error": False,
            **content,
        }
        return self.send("execute_request", body, channel)

    def question(self, arguments: object) -> str:
        """Send a question to the helper and return the message's id."""
        content = {"type": "request", "seq": 1, "command": "gpuHeadroom", "arguments": arguments}
        return self.send("debug_request", content, "control")

    def ask(self, arguments: object) -> Any:
        """Ask the helper."""
        return self.wait(self.question(arguments))["body"]

    def until(self, condition: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Wait until the server sees something."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < deadline, self.model()
            time.sleep(0.05)
