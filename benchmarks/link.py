"""How soon the gauge has something to show over a slow link, the helper being sent over it."""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from typing import TYPE_CHECKING

from tests.live import OPTIONS, PROBE, constant
from tests.liveserver import Page, Server

from benchmarks.measure import times_row
from benchmarks.payload import pack

if TYPE_CHECKING:
    from asyncio import Queue, StreamReader, StreamWriter
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.measure import Row

KERNELS = 20
BITS_PER_S = 2_000_000
ROUND_TRIP_S = 0.06
_CHUNK = 2048

ATTACH = {
    "type": "attach",
    "id": "1",
    "protocol_version": "2.0",
    "client_id": "benchmarks",
    "visible": True,
    "rate_hz": 10,
    "options": OPTIONS,
}


class SlowLink:
    """Passes connections on to a port of this machine, late and a few bytes at a time."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._target = port
        self._is_up = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._listen()), daemon=True).start()
        self._is_up.wait()

    async def _listen(self) -> None:
        listener = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = listener.sockets[0].getsockname()[1]
        self._is_up.set()
        await listener.serve_forever()

    async def _pass_on(self, page: StreamReader, to_page: StreamWriter) -> None:
        server, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        directions = self._carry(page, to_server), self._carry(server, to_page)
        await asyncio.gather(*directions, return_exceptions=True)

    async def _carry(self, source: StreamReader, target: StreamWriter) -> None:
        queue: Queue[tuple[float, bytes | None]] = asyncio.Queue()
        delivery = asyncio.create_task(_deliver(queue, target))
        free_s = 0.0
        while data := await source.read(_CHUNK):
            free_s = max(free_s, time.perf_counter()) + 8 * len(data) / BITS_PER_S
            queue.put_nowait((free_s + ROUND_TRIP_S / 2, data))
        queue.put_nowait((free_s, None))
        await delivery


async def _deliver(queue: Queue[tuple[float, bytes | None]], target: StreamWriter) -> None:
    while True:
        at_s, data = await queue.get()
        if data is None:
            break
        await asyncio.sleep(max(0.0, at_s - time.perf_counter()))
        target.write(data)
    target.close()


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure the first reading through a server, over a slow link and without one."""
    server = Server(python, folder / "link")
    try:
        slow = copy.copy(server)
        slow.port = SlowLink(server.port).port
        times_ms = [(first_reading_ms(server), first_reading_ms(slow)) for _ in range(KERNELS)]
    finally:
        server.close()
    near_ms, far_ms = zip(*times_ms, strict=True)
    yield times_row("kernel ready → first reading, through a server", near_ms, 300)
    yield times_row("… over 2 Mbit/s and 60 ms there and back", far_ms, 1200)


def first_reading_ms(server: Server) -> float:
    """Return the time from a ready kernel to a reading, the helper being injected between.

    As a page does it, probe and question go out together, and so do the helper and the next
    question.
    """
    expressions = {"here": constant(PROBE, "EXPRESSION")}
    work = pack().work()
    page = Page(server)
    try:
        start = time.perf_counter()
        probe = page.execute("", "control", silent=True, user_expressions=expressions)
        page.question(ATTACH)
        text = page.wait(probe)["user_expressions"]["here"]["data"]["text/plain"]
        assert text.endswith("False]"), text  # no helper lives: the question needs no answer
        injection = page.execute(**work, channel="control", silent=True)
        question = page.question(ATTACH)
        assert page.wait(injection)["status"] == "ok"
        assert page.wait(question)["body"]["sample"] is not None
        return 1000 * (time.perf_counter() - start)
    finally:
        page.close()
