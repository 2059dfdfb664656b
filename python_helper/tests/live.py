"""A real kernel in a process of its own, driven as a page drives it."""

from __future__ import annotations

import ast
import itertools
import json
import os
import re
import shlex
import threading
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from gpu_headroom import testing
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from typing_extensions import Self

SOURCES = Path(__file__).parents[1]
PROBE = SOURCES.parent / "src" / "kernel" / "probe.ts"
HELPER = PROBE.with_name("helper.ts")
PATIENCE_S = 120.0
_NOT_INHERITED = ("PYTHONPATH", "GPU_HEADROOM_RANKS")
CLIENT = "a-page"
REPORT = "application/vnd.gpu-headroom.report+json"
OPTIONS: dict[str, Any] = {
    "mark_cells": True,
    "keep_reports": True,
    "name_others": True,
    "record_allocations": False,
    "after_oom": "ask",
    "measure_workers": "ask",
}

# An installed helper, such as a developer's, must not hide that the injected one works.
_BLIND_KERNEL = SOURCES.parent / "ui-tests" / "kernels" / "without_helper.py"
# A cell that is busy until the helper has taken a reading during it.
UNTIL_READ = """
def until_read():
    import time
    import gpu_headroom.session
    sampler = gpu_headroom.session.current().sampler
    last = sampler.latest
    while sampler.latest is last:
        time.sleep(0.01)
until_read()
del until_read
"""
RENEW = """
import sys, gpu_headroom
gpu_headroom.free()
get_ipython().extension_manager.unload_extension("gpu_headroom")
gpu_headroom.stop()
if simulation := gpu_headroom.simulate.active():
    simulation.stop()
for name in ("last_type", "last_value", "last_traceback", "last_exc"):
    vars(sys).pop(name, None)
get_ipython().reset(new_session=True)
get_ipython().user_ns.update(_="", __="", ___="")
"""
WITHOUT_HELPER = f"import runpy; runpy.run_path({str(_BLIND_KERNEL)!r}, run_name='__main__')"
WITH_HELPER = "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"


def constant(module: Path, name: str) -> str:
    """Return what a module of the front end has under a name, in single quotes."""
    match = re.search(rf"{name} =\s+'([^']+)'", module.read_text(encoding="utf-8"))
    assert match
    return match[1]


@dataclass(frozen=True)
class Pack:
    """What the extension carries: the bootstrap's text and the helper's sources."""

    bootstrap: str
    sources: str
    version: str
    for_workers: str
    for_dry_runs: str

    @classmethod
    def read(cls, module: Path) -> Pack:
        """Read the TypeScript module that `scripts/pack.mjs` generates."""
        text = module.read_text(encoding="utf-8")
        constants = {
            name: value[1:-1] if value[0] == "'" else json.loads(value)
            for name, value in re.findall(
                r"""^export const (\w+): string =\s+('[^']*'|"(?:[^"\\]|\\.)*");""",
                text,
                re.MULTILINE,
            )
        }
        names = ("BOOTSTRAP", "PACK", "HELPER_VERSION", "WORKERS_PACK", "DRY_RUN_PACK")
        return cls(*[constants[name] for name in names])

    def work(self, *, sources: str | None = None, major: str = "2") -> dict[str, Any]:
        """Return what the front end executes: the bootstrap, and the expression that calls it."""
        expression = (
            constant(HELPER, "START")
            .replace("__PACK__", sources or self.sources)
            .replace("__PROTOCOL_MAJOR__", major)
            .replace("__HELPER_VERSION__", self.version)
        )
        return {"code": self.bootstrap, "user_expressions": {"started": expression}}


@dataclass
class Run:
    """What became of one execute request."""

    reply: dict[str, Any]
    messages: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> str:
        """`ok`, `error` or `aborted`."""
        return cast("str", self.reply["status"])

    @property
    def outputs(self) -> list[tuple[str, dict[str, Any]]]:
        """What a notebook shows in the cell, in order."""
        kinds = {"stream", "error", "display_data", "execute_result"}
        return [
            (message["msg_type"], message["content"])
            for message in self.messages
            if message["msg_type"] in kinds
        ]

    @property
    def bundle(self) -> dict[str, Any]:
        """The only report in the cell's output, in each of its forms."""
        bundles = [content["data"] for kind, content in self.outputs if kind == "display_data"]
        (bundle,) = [data for data in bundles if REPORT in data]
        return cast("dict[str, Any]", bundle)

    @property
    def report(self) -> dict[str, Any]:
        """The report in that bundle."""
        return cast("dict[str, Any]", self.bundle[REPORT])

    @property
    def text(self) -> str:
        """What the cell printed."""
        return "".join(content["text"] for kind, content in self.outputs if kind == "stream")


class Latch:
    """A file for which code in another process waits, in short naps."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"latch-{uuid.uuid4().hex}"

    @property
    def wait(self) -> str:
        """A one-line statement that waits for the release and binds no names."""
        return f"{self._until_released}: __import__('time').sleep(0.01)"

    @property
    def wait_async(self) -> str:
        """The same, leaving the event loop free."""
        return f"{self._until_released}: await __import__('asyncio').sleep(0.01)"

    @property
    def _until_released(self) -> str:
        return f"while not __import__('os').path.exists({str(self._path)!r})"

    def release(self) -> None:
        """Let the code continue."""
        self._path.touch()


class BusyCell:
    """A cell that is busy until it is released."""

    def __init__(self, kernel: LiveKernel, request: str, latch: Latch) -> None:
        self.request = request
        self._kernel = kernel
        self._latch = latch
        self._run: Run | None = None

    def release(self) -> None:
        """Let the cell continue, without waiting for its end."""
        self._latch.release()

    def result(self) -> Run:
        """Release the cell and return its run; a second call returns the same."""
        self.release()
        self._run = self._run or self._kernel.result(self.request)
        return self._run


class LiveKernel:
    """One kernel process and the connection of one page to it.

    `script` starts another kernel than IPython's, with its arguments as on a command line.

    Every event and reply of the helper is checked against the schema, and its log
    against complaints of the helper itself; `close` raises what was found.
    """

    is_checked = True
    """Whether events are: it takes milliseconds of a machine on which something is measured."""

    def __init__(
        self,
        python: Path,
        folder: Path,
        *,
        installed: bool = False,
        script: str = "",
        **variables: str,
    ) -> None:
        self._log_path = folder / "kernel.log"
        # Ports that were free a moment ago may be another test's by now; and the path of a socket
        # may have 107 characters, which a folder of pytest's soon has.
        self._sockets = TemporaryDirectory(prefix="gpu-headroom-")
        connection = Path(self._sockets.name) / "kernel.json"
        self._manager = KernelManager(transport="ipc", connection_file=str(connection))
        command = shlex.split(script) or ["-c", WITH_HELPER if installed else WITHOUT_HELPER]
        self._manager._kernel_spec = KernelSpec(
            argv=[str(python), *command, "-f", "{connection_file}"],
            display_name="test",
            language="python",
        )
        # A helper in this very process may have left where its own ranks tell of themselves.
        inherited = {key: value for key, value in os.environ.items() if key not in _NOT_INHERITED}
        environment = {
            **inherited,
            "IPYTHONDIR": str(folder / "ipython"),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            **({"PYTHONPATH": str(SOURCES)} if installed else {}),
            **variables,
        }
        self._log = self._log_path.open("w")
        self._ids = itertools.count(1)
        self._faults: list[Exception] = []
        self.expected_complaints: list[str] = []
        try:
            self._manager.start_kernel(
                env=environment, cwd=str(folder), stdout=self._log, stderr=self._log
            )
            self._connect()
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the kernel; raises what the helper did wrong on the wire or in its log."""
        self._disconnect()
        self._end()
        if self._faults:
            raise self._faults[0]
        complaints = [
            line
            for line in re.findall(r"GPU Headroom.*", self.log)
            if not any(expected in line for expected in self.expected_complaints)
        ]
        assert not complaints, f"{complaints}\n{self.log}"

    def _end(self) -> None:
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()
        self._sockets.cleanup()
        self._log.close()

    @property
    def log(self) -> str:
        """What the kernel process wrote to the server's log."""
        return self._log_path.read_text(encoding="utf-8")

    @property
    def info(self) -> dict[str, Any]:
        """What the kernel says of itself."""
        request = self._client.kernel_info()
        return cast("dict[str, Any]", self._reply(request, "shell", PATIENCE_S)["content"])

    @property
    def manager(self) -> KernelManager:
        """The kernel's manager, to interrupt it."""
        return self._manager

    def restart(self) -> None:
        """Restart the kernel as the Restart button does."""
        self._disconnect()
        self._manager.restart_kernel(now=True)
        self._connect()

    def renew(self) -> None:
        """Stop the helper and the simulated GPU; clear names, outputs, errors and the cell count.

        For tests that need a notebook at its beginning, but no process of their own.
        """
        run = self.run(RENEW, silent=True, store_history=False)
        while run.status == "aborted":  # as what comes shortly after a cell that failed
            run = self.run(RENEW, silent=True, store_history=False)
        assert run.status == "ok", run

    # --- Cells --------------------------------------------------------------

    def submit(
        self,
        code: str,
        *,
        cell_id: str | None = None,
        channel: str = "shell",
        subshell_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        **content: Any,
    ) -> str:
        """Send an execute request and return its id."""
        body = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
            **content,
        }
        metadata = {**(metadata or {}), **({} if cell_id is None else {"cellId": cell_id})}
        message = self._client.session.msg("execute_request", body, metadata=metadata)
        if subshell_id is not None:
            message["header"]["subshell_id"] = subshell_id
        getattr(self._client, f"{channel}_channel").send(message)
        return cast("str", message["header"]["msg_id"])

    def send_shell(self, kind: str, content: dict[str, Any]) -> None:
        """Send a message on the shell channel that has no reply."""
        self._client.shell_channel.send(self._client.session.msg(kind, content))

    def create_subshell(self) -> str:
        """Have the kernel open a second shell, as a console beside a notebook does."""
        message = self._client.session.msg("create_subshell_request", {})
        self._client.control_channel.send(message)
        reply = self._reply(message["header"]["msg_id"], "control", PATIENCE_S)["content"]
        return cast("str", reply["subshell_id"])

    def result(self, request: str, *, channel: str = "shell", timeout_s: float = PATIENCE_S) -> Run:
        """Wait for the end of an execute request."""
        reply = self._reply(request, channel, timeout_s)
        self.until(lambda: self._ended(request))
        messages = [msg for msg in self.messages() if msg["parent_header"].get("msg_id") == request]
        return Run(reply["content"], messages)

    def run(self, code: str, *, channel: str = "shell", **options: Any) -> Run:
        """Run a cell to its end."""
        return self.result(self.submit(code, channel=channel, **options), channel=channel)

    def start_cell(self, code: str, **options: Any) -> str:
        """Run a cell and return as soon as it runs; it must print `begun` when it does."""
        request = self.submit(code, **options)
        self.until(lambda: "begun" in self.printed(request))
        return request

    def latch(self) -> Latch:
        """A latch for code that runs in this kernel."""
        return Latch(Path(self._sockets.name))

    @contextmanager
    def busy_cell(
        self, before: str = "", after: str = "", *, awaits: bool = False, **options: Any
    ) -> Iterator[BusyCell]:
        """Run a cell that is busy from the start of the block to its end, or to its result.

        The cell runs `before`, prints `begun`, waits (by `await` where it `awaits`), and runs
        `after`.
        """
        latch = self.latch()
        wait = latch.wait_async if awaits else latch.wait
        steps = [before, "print('begun', flush=True)", wait, after]
        cell = BusyCell(self, self.start_cell("\n".join(filter(None, steps)), **options), latch)
        try:
            yield cell
        finally:
            cell.result()

    def value(self, expression: str) -> Any:
        """Evaluate an expression in the user's namespace, leaving no trace."""
        reply = self.run(
            "", silent=True, store_history=False, user_expressions={"value": expression}
        ).reply["user_expressions"]["value"]
        assert reply["status"] == "ok", reply
        return ast.literal_eval(reply["data"]["text/plain"])

    def answer_input(self, text: str) -> str:
        """Wait for the kernel to ask, answer, and return its question."""
        question = self._client.stdin_channel.get_msg(timeout=PATIENCE_S)
        message = self._client.session.msg("input_reply", {"value": text}, parent=question)
        self._client.stdin_channel.send(message)
        return cast("str", question["content"]["prompt"])

    # --- The helper ---------------------------------------------------------

    def ask_ipython(self, *, channel: str = "control") -> Run:
        """Ask whether IPython is here, as the front end does before it injects."""
        return self.run(
            "",
            channel=channel,
            silent=True,
            store_history=False,
            stop_on_error=False,
            allow_stdin=channel == "control",
            user_expressions={"here": constant(PROBE, "EXPRESSION")},
        )

    def inject(self, pack: Pack, *, channel: str = "control", sources: str | None = None) -> Run:
        """Inject the helper as the front end does, or another part of it."""
        return self.run(
            **pack.work(sources=sources),
            channel=channel,
            silent=True,
            store_history=False,
            stop_on_error=False,
            allow_stdin=channel == "control",
        )

    def debug(self, command: str, arguments: object) -> dict[str, Any]:
        """Send a debug request and return the content of its reply."""
        content = {"type": "request", "seq": 7, "command": command, "arguments": arguments}
        message = self._client.session.msg("debug_request", content)
        self._client.control_channel.send(message)
        reply = self._reply(message["header"]["msg_id"], "control", PATIENCE_S)
        return cast("dict[str, Any]", reply["content"])

    def ask_raw(self, arguments: object) -> Any:
        """Send a request, well-formed or not; `None` when there is no helper."""
        content = self.debug("gpuHeadroom", arguments)
        if not content.get(
            "success"
        ):  # ipykernel says nothing, an open debugger that it knows none
            return None
        testing.check(content["body"], "reply")
        return content["body"]

    def ask(self, kind: str, **keys: Any) -> Any:
        """Send a well-formed request and return the reply; walks are asked for by a person."""
        if kind in ("plan", "holders"):
            keys.setdefault("asked", True)
        request = {"type": kind, "id": f"{next(self._ids)}", "protocol_version": "2.0", **keys}
        testing.check(request, "request")
        reply = self.ask_raw(request)
        if reply is not None:
            assert reply["id"] == request["id"]
        return reply

    def explain(self, run: Run, cell_id: str) -> dict[str, Any] | None:
        """Hand over what a process printed that failed, as a page does; return the report."""
        since, parent_id = self.now, run.messages[0]["parent_header"]["msg_id"]
        reply = self.ask("explain", cell_id=cell_id, parent_id=parent_id, printed=run.text)
        if reply["report_id"] is None:
            return None

        def displays() -> list[dict[str, Any]]:
            return [msg for msg in self.messages(since) if msg["msg_type"] == "display_data"]

        self.until(lambda: bool(displays()))
        (display,) = displays()
        assert display["parent_header"]["msg_id"] == parent_id
        return cast("dict[str, Any]", display["content"]["data"][REPORT])

    def attach(
        self, *, client_id: str = CLIENT, rate_hz: float = 10, visible: bool = True, **options: Any
    ) -> Any:
        """Take or renew a lease."""
        return self.ask(
            "attach",
            client_id=client_id,
            visible=visible,
            rate_hz=rate_hz,
            options={**OPTIONS, **options},
        )

    def asked(self, kind: str, **keys: Any) -> dict[str, Any]:
        """Return the event that a request ends with."""
        since = self.now
        return self.await_event(kind, since, request_id=self.ask(kind, **keys)["id"])

    def cleanup(self, items: list[str] | None = None) -> str:
        """Have a clean-up cell written, and return it."""
        event = self.asked("cleanup", items=items)
        assert event["code"] is not None, event
        return cast("str", event["code"])

    def sample(self, client_id: str = CLIENT) -> Any:
        """Poll for a reading."""
        return self.ask("sample", client_id=client_id)["sample"]

    def events(self, kind: str | None = None, since: int = 0) -> list[dict[str, Any]]:
        """Return the helper's events, from the message numbered `since` on."""
        events = [item["content"]["data"] for item in self.messages(since) if _is_event(item)]
        return [item for item in events if kind in (None, item["type"])]

    def free(self, **keys: Any) -> dict[str, Any]:
        """Ask for a release, by default of what is safe, and return what came of it."""
        since = self.now
        reply = self.ask("release", **{"items": None, "confirmed": [], "report_id": None, **keys})
        return self.await_event("released", since, release_id=reply["release_id"])

    def await_event(self, kind: str, since: int = 0, **keys: Any) -> dict[str, Any]:
        """Wait for an event with these keys."""

        def matches() -> list[dict[str, Any]]:
            return [
                event
                for event in self.events(kind, since)
                if all(event[key] == value for key, value in keys.items())
            ]

        self.until(lambda: bool(matches()))
        return matches()[0]

    # --- What arrives -------------------------------------------------------

    def messages(self, since: int = 0) -> list[dict[str, Any]]:
        """Return what came on iopub, from the message numbered `since` on."""
        with self._news:
            return self._received[since:]

    @property
    def now(self) -> int:
        """The number of the next message on iopub."""
        return len(self.messages())

    def until(self, condition: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Wait until a condition on what arrived holds; fails when it does not."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain; the log says: {self.log}"
            with self._news:
                self._news.wait(0.05)

    def _connect(self) -> None:
        self._client = self._manager.client()
        self._client.start_channels()
        try:
            self._client.wait_for_ready(timeout=PATIENCE_S)
        except RuntimeError as error:
            raise AssertionError(f"{error}; the log says: {self.log}") from error
        # The first check imports for most of a second, in which the helper would prepare itself.
        testing.check({"type": "bye", "helper_id": "none", "reason": "unloaded"}, "event")
        self._news = threading.Condition()
        self._received: list[dict[str, Any]] = []
        self._replies: dict[str, dict[str, Any]] = {}
        self._reading = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _disconnect(self) -> None:
        self._reading = False
        self._reader.join()
        self._client.stop_channels()

    def _read(self) -> None:
        while self._reading:
            try:
                message = self._client.iopub_channel.get_msg(timeout=0.05)
            except Empty:
                continue
            if self.is_checked and _is_event(message):
                try:
                    testing.check(message["content"]["data"], "event")
                except Exception as fault:  # noqa: BLE001  raised by close
                    self._faults.append(fault)
            with self._news:
                self._received.append(message)
                self._news.notify_all()

    def _reply(self, request: str, channel: str, timeout_s: float) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        while request not in self._replies:
            wait_s = max(0.01, deadline - time.monotonic())
            try:
                reply = getattr(self._client, f"{channel}_channel").get_msg(timeout=wait_s)
            except Empty:
                raise AssertionError(f"no reply on {channel}; the log says: {self.log}") from None
            self._replies[reply["parent_header"].get("msg_id", "")] = reply
        return self._replies.pop(request)

    def _ended(self, request: str) -> bool:
        return any(
            message["msg_type"] == "status"
            and message["content"]["execution_state"] == "idle"
            and message["parent_header"].get("msg_id") == request
            for message in self.messages()
        )

    def printed(self, request: str) -> str:
        """What arrived so far of what a cell prints."""
        return "".join(
            message["content"]["text"]
            for message in self.messages()
            if message["msg_type"] == "stream" and message["parent_header"].get("msg_id") == request
        )


@contextmanager
def attached(python: Path, folder: Path, pack: Pack, **options: Any) -> Iterator[LiveKernel]:
    """Start a kernel with the helper injected and one page attached."""
    with LiveKernel(python, folder, **options) as kernel:
        kernel.inject(pack)
        kernel.attach()
        yield kernel


def _is_event(message: dict[str, Any]) -> bool:
    if message["msg_type"] != "comm_msg":
        return False
    comm_id: str = message["content"]["comm_id"]
    return comm_id.startswith("gpu-headroom-")
