"""A dry run as a page asks a kernel for it, and hears of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.live import LiveKernel

_PATIENCE_S = 900.0


def steps(
    kernel: LiveKernel, sources: Mapping[str, str], report_id: str | None = None
) -> Iterator[dict[str, Any]]:
    """Begin one of these cells, and yield what is told of it as it comes, to the last word.

    With `report_id` the edits of that report are tried. Raises `AssertionError` where it is
    refused, or comes to no end within a quarter of an hour.
    """
    labels = {name: f"In [{n}]" for n, name in enumerate(sources, 1)}
    wish = {"sources": dict(sources), "labels": labels, "gpu": "", "report_id": report_id}
    kernel.attach()
    reply = kernel.ask("dry_run", action="begin", agreed=True, values=False, **wish)
    assert reply["type"] == "dry_run", reply
    heard, ends_s = 0, time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends_s:
        kernel.attach()
        events = kernel.events("dry_run")
        told = [each for each in events if each["request_id"] == reply["id"]]
        for step in told[heard:]:
            yield step
            if step["status"] != "running":
                return
        heard = len(told)
        time.sleep(0.05)
    raise AssertionError("the dry run comes to no end")
