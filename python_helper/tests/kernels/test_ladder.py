"""Kernels whose control channel cannot carry our requests: they go over a comm."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import testing
from tests.live import OPTIONS, LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack


class CommPage:
    """A page that asks over the comm target."""

    def __init__(self, kernel: LiveKernel) -> None:
        self._kernel = kernel
        self._comm_id = uuid.uuid4().hex
        kernel.send_shell(
            "comm_open", {"comm_id": self._comm_id, "target_name": "gpu-headroom", "data": {}}
        )

    def ask(self, kind: str, **keys: Any) -> Any:
        """Send a request and wait for its reply."""
        request = {"type": kind, "id": uuid.uuid4().hex, "protocol_version": "2.0", **keys}
        content = {"comm_id": self._comm_id, "data": {"request": request}}
        self._kernel.send_shell("comm_msg", content)
        self._kernel.until(lambda: bool(self._replies(request["id"])))
        (reply,) = self._replies(request["id"])
        testing.check(reply, "reply")
        return reply

    def _replies(self, request_id: str) -> list[dict[str, Any]]:
        return [
            message["content"]["data"]["reply"]
            for message in self._kernel.messages()
            if message["msg_type"] == "comm_msg"
            and message["content"]["comm_id"] == self._comm_id
            and message["content"]["data"]["reply"]["id"] == request_id
        ]


@pytest.fixture(scope="module")
def kernel(
    python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel of each generation without a handler for debug requests."""
    with LiveKernel(python, tmp_path_factory.mktemp("kernel")) as kernel:
        kernel.run("get_ipython().kernel.control_handlers.pop('debug_request')")
        kernel.inject(pack)
        yield kernel


@pytest.fixture(scope="module")
def page(kernel: LiveKernel) -> CommPage:
    """A page attached over a comm."""
    return CommPage(kernel)


def attach(page: CommPage) -> Any:
    """Take a lease over the comm."""
    return page.ask("attach", client_id="c", visible=True, rate_hz=5, options=OPTIONS)


def test_says_that_control_cannot(kernel: LiveKernel, page: CommPage) -> None:
    """The helper announces which way requests go, and answers on the comm."""
    hello = attach(page)["hello"]
    assert hello["control"] is False
    assert kernel.events("hello")[0]["control"] is False


def test_threads_go_on_printing_into_their_cell(kernel: LiveKernel, page: CommPage) -> None:
    """A comm message takes over the parent of what threads print: it is given back."""
    latch = kernel.latch()
    cell = kernel.submit(
        "import threading\n"
        "def chat():\n"
        f"    {latch.wait}\n"
        "    for turn in range(8):\n"
        "        print('turn', turn, flush=True)\n"
        "threading.Thread(target=chat).start()"
    )
    kernel.result(cell)
    page.ask("sample", client_id="c")
    latch.release()
    kernel.until(lambda: kernel.printed(cell).count("turn") == 8)


def test_leaves_no_target_behind(kernel: LiveKernel) -> None:
    """Stopping takes the comm target back."""
    targets = "'gpu-headroom' in get_ipython().kernel.comm_manager.targets"
    assert kernel.value(targets) is True
    kernel.run("import gpu_headroom; gpu_headroom.stop()")
    assert kernel.value(targets) is False
