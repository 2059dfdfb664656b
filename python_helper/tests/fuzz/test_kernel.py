"""The same to a real kernel with tensors on a GPU, as a page sends it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jupyter_client.jsonutil import json_default
from tests.fuzz.mutate import Maker, how_many
from tests.fuzz.test_requests import check_answer
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

_MOST = 20_000  # of a kernel: each is a message there and one back
FILL = """
import time
import torch
kept = torch.ones(2**20, device="cuda")
model = torch.nn.Linear(64, 64).cuda()
total = model(torch.ones(8, 64, device="cuda")).sum()
globals()["\\ud800 \\udc80"] = torch.ones(2**20, device="cuda")
table = {"\\ud800": torch.ones(2**20, device="cuda")}
expected = float(total), float(kept.sum())
"""
SURROUNDINGS = """(
    sorted(each.name for each in __import__('threading').enumerate()),
    [str(each) for each in __import__('warnings').filters],
    [type(each).__name__ for each in __import__('sys').meta_path],
    {name: len(found) for name, found in get_ipython().events.callbacks.items()},
    sorted(name for name in globals() if not name.startswith('_')),
    (float(total), float(kept.sum())) == expected,
)"""

WAITING = """(lambda loop: bool(loop._jobs or loop._now))(
    __import__('sys').modules['gpu_headroom.session'].current().mainloop
)"""


@pytest.fixture(scope="module")
def kernel(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel with the helper injected and tensors on a simulated GPU, some oddly named."""
    folder = tmp_path_factory.mktemp("fuzzed")
    with LiveKernel(newest_python, folder, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        # As a browser writes JSON: what is not ASCII is escaped, half characters included.
        kernel._client.session.pack = lambda value: json.dumps(value, default=json_default).encode()
        kernel.inject(pack)
        kernel.attach()
        assert kernel.run(FILL).status == "ok"
        yield kernel


def ask(kernel: LiveKernel, request: object) -> Any:
    """Send a request, and check the one answer to it."""
    reply = kernel.ask_raw(request)
    check_answer(request, reply)
    return reply


def test_a_kernel_answers_every_request(kernel: LiveKernel) -> None:
    """At rest and beside a cell; what is the person's, and what surrounds it, stays as it was."""
    make = Maker("kernel")
    kernel.await_event("holders", request_id=kernel.ask("holders")["id"])
    before = kernel.value(SURROUNDINGS)
    for _ in range(2):
        with kernel.busy_cell(after="'done'") as cell:
            for _ in range(min(_MOST, how_many(160)) // 4):
                ask(kernel, make.request())
        assert cell.result().status == "ok"
        for _ in range(min(_MOST, how_many(160)) // 4):
            ask(kernel, make.request())
    # What was asked for beside a cell is worked on now.
    kernel.until(lambda: not kernel.value(WAITING), timeout_s=120)
    # A dry run that was begun goes on beside the kernel, on threads of its own.
    nothing: dict[str, Any] = {
        "sources": {},
        "labels": {},
        "gpu": "",
        "report_id": None,
        "agreed": False,
        "largest_on_each": False,
        "values_to": None,
    }
    kernel.ask("dry_run", action="end", **nothing)
    kernel.until(lambda: kernel.value(SURROUNDINGS) == before, timeout_s=60)
    kernel.attach()
    assert kernel.events("error") == []


@pytest.mark.parametrize("kind", ["holders", "plan"])
def test_names_that_are_no_text_are_told(kernel: LiveKernel, kind: str) -> None:
    """Half a character in a name or a key does not keep an account or a plan from the page."""
    event = kernel.await_event(kind, request_id=kernel.ask(kind)["id"])
    names = json.dumps(event)
    assert "? ?" in names
