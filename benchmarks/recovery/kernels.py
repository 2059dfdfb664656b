"""Fresh kernels of one environment, forked from a Python that has PyTorch imported."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from queue import Empty
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tests.live import SOURCES, LiveKernel

from benchmarks.recovery.probe import TARGET

if TYPE_CHECKING:
    from types import TracebackType

    from tests.live import Run
    from typing_extensions import Self

REAL = "GPU_HEADROOM_RECOVERY_REAL"
_FORKSERVER = Path(__file__).with_name("forkserver.py")
_SIMULATE = """
import gpu_headroom
gpu_headroom.simulate("16 GiB", compute="meta")
del gpu_headroom
"""

# Stands for the kernel process: where it ends, the connection ends, and with it the kernel.
_CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({address!r})
    wish = {{"folder": os.getcwd(), "environment": dict(os.environ), "arguments": sys.argv[3:]}}
    socket.send_fds(connection, [json.dumps(wish).encode()], [1, 2])
    connection.recv(1)
"""


class Notebook(LiveKernel):
    """A fresh kernel that answers `q` to every prompt."""

    def simulate(self) -> None:
        """Give the kernel a simulated GPU, unless a real one is wanted."""
        if REAL not in os.environ:
            self.quietly(_SIMULATE)

    def quietly(self, code: str) -> None:
        """Run code that is no cell; raises `AssertionError` where it fails."""
        run = self.run(code, silent=True, store_history=False)
        assert run.status == "ok", run.reply

    def cell(self, code: str) -> Run:
        """Run a cell to its end, good or bad."""
        request = self.submit(code, stop_on_error=False, allow_stdin=True)
        self.until(lambda: self._quit_debugger() or self._ended(request))
        return self.result(request)

    def probe(self, question: str, *arguments: object) -> Any:
        """Ask `probe.py` in the kernel, without running anything there."""
        data = {"question": question, "arguments": arguments}
        comm_id = uuid4().hex
        self.send_shell("comm_open", {"comm_id": comm_id, "target_name": TARGET, "data": data})
        answers: list[Any] = []

        def is_answered() -> bool:
            answers.extend(
                message["content"]["data"]["answer"]
                for message in self.messages()
                if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == comm_id
            )
            return bool(answers)

        self.until(is_answered)
        return answers[0]

    def _quit_debugger(self) -> bool:
        channel = self._client.stdin_channel
        try:
            question = channel.get_msg(timeout=0)
        except Empty:
            return False
        channel.send(self._client.session.msg("input_reply", {"value": "q"}, parent=question))
        return False


class Environment:
    """One environment: its Python, imported once, from which kernels are forked."""

    def __init__(self, name: str, python: Path) -> None:
        self.name = name
        self.python = python
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        address = folder / "forkserver"
        self._client = folder / "python"
        self._client.write_text(_CLIENT.format(python=python, address=str(address)))
        self._client.chmod(0o755)
        self._server = subprocess.Popen(
            [python, _FORKSERVER, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCES),
                "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            },
        )
        assert self._server.stdout is not None
        ready = self._server.stdout.readline()
        assert ready.startswith("ready"), ready
        self.versions: dict[str, str] = json.loads(ready.removeprefix("ready"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.communicate()
        self._folder.cleanup()

    def open(self, folder: Path) -> Notebook:
        """Start a fresh kernel in a folder."""
        return Notebook(self._client, folder, installed=True)


def restart_ms(python: Path) -> float:
    """Restart a kernel that was started in the ordinary way; the time until PyTorch is back."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        LiveKernel(python, Path(folder), installed=True) as kernel,
    ):
        kernel.run("import torch")
        start_s = time.perf_counter()
        kernel.restart()
        assert kernel.run("import torch").status == "ok"
        return round(1000 * (time.perf_counter() - start_s), 1)
