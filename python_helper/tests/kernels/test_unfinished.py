"""A report whose look came to no end says so, and is completed once that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cycles import FAIL
from tests.kernels.test_failure import HURRY
from tests.live import LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.live import Pack

# One slice of a walk is over as it begins.
NO_SLICE = f"""{HURRY}
import gpu_headroom.concurrency.turns as turns
turns._ONLY_SLICE_S = turns._ONLY_SLICE_ASKED_S = 0.0
"""
WAITS = """
import threading
go = threading.Event()
worker = threading.Thread(target=lambda: go.wait(), name="my worker", daemon=True)
worker.start()
"""
# As in a forward pass that calls back: `apply` is the framework's.
INSIDE = """
import threading
go = threading.Event()
layer = torch.nn.Identity()
worker = threading.Thread(
    target=lambda: layer.apply(lambda _: go.wait()), name="my worker", daemon=True
)
worker.start()
"""
ENDS = "go.set(); worker.join(); del worker, go"
# No name leads to it, and Python has not collected it yet.
GARBAGE = """
import gc
gc.disable()
class Lost: pass
lost = Lost(); lost.me = lost; lost.kept = torch.empty(2**30, dtype=torch.uint8, device="cuda")
del lost
heap = [[number] for number in range(1_000_000)]
"""


@pytest.fixture
def gpu(python: Path, pack: Pack, tmp_path: Path) -> Iterator[LiveKernel]:
    """A kernel of each generation with a simulated GPU, in which little time is changed."""
    with attached(python, tmp_path, pack, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.run("import torch; kept = torch.empty(2**20, device='cuda')")
        yield kernel


def latest(kernel: LiveKernel, report: dict[str, Any]) -> dict[str, Any]:
    """A report as the helper has it now."""
    reply = kernel.ask("report", helper_id=report["helper_id"], report_id=report["report_id"])
    current: dict[str, Any] = reply["report"]
    return current


def until(
    kernel: LiveKernel, report: dict[str, Any], is_so: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Wait until something is so of a report, and return it."""

    def is_so_by_now() -> bool:
        kernel.attach()
        return is_so(latest(kernel, report))

    kernel.until(is_so_by_now)
    return latest(kernel, report)


def look_note(report: dict[str, Any]) -> dict[str, Any] | None:
    """What a report says of a look that came to no end."""
    notes = [remedy["note"] for remedy in report["remedies"] if remedy["id"] == "look-further"]
    assert len(notes) < 2
    return notes[0] if notes else None


def is_attributed(report: dict[str, Any]) -> bool:
    """Whether nearly all memory in use is attributed."""
    sizes = {part["kind"]: part["bytes"] for part in report["parts"]}
    return bool(sizes.get("not_attributed", 0) <= 0.05 * report["in_use_bytes"])


@pytest.mark.parametrize(
    ("begin", "note_id"), [(WAITS, "holders.beside_waiting"), (INSIDE, "holders.beside")]
)
def test_a_report_beside_a_thread_is_completed_when_that_has_ended(
    gpu: LiveKernel, begin: str, note_id: str
) -> None:
    """Until then it says whose thread it is, once, however often it is looked at."""
    gpu.run(NO_SLICE)
    gpu.run(begin)
    first = gpu.run(FAIL, stop_on_error=False).report
    assert first["looking"] is True
    assert look_note(first) is None
    partial = until(gpu, first, lambda item: not item["looking"])
    note = look_note(partial)
    assert note is not None
    assert (note["id"], note["params"]) == (note_id, {"name": "my worker"})
    assert not is_attributed(partial)
    gpu.run(ENDS)
    whole = until(gpu, first, is_attributed)
    assert is_attributed(whole)
    assert (look_note(whole), whole["looking"]) == (None, False)
    updates = [item for item in gpu.messages() if item["msg_type"] == "update_display_data"]
    assert "not attributed" not in updates[-1]["content"]["data"]["text/plain"]


TASKS = """
import asyncio
gate = asyncio.Event()
async def work():
    kept = torch.empty(2**29, dtype=torch.uint8, device="cuda")
    await gate.wait()
tasks = [asyncio.ensure_future(work()) for _ in range(2)]
await asyncio.sleep(0.05)
del tasks
"""
# The walk that completes the report has time for one of the two tasks.
CUT_LATER = """
from gpu_headroom.holders import suspended
all_roots, counts = suspended.roots, iter([None])
suspended.roots = lambda walk: all_roots(walk)[:next(counts, 1)]
"""


def test_a_later_look_that_names_less_changes_nothing(gpu: LiveKernel) -> None:
    """Beside the user's tasks there is one short slice: what it finds is a matter of luck."""
    gpu.run(TASKS)
    gpu.run(CUT_LATER)
    first = gpu.run(FAIL, stop_on_error=False).report
    assert first["looking"] is True
    partial = until(gpu, first, lambda item: not item["looking"])
    holders = {item["name"]: item["bytes"] for item in partial["holders"]}
    assert holders["work()"] == 2**30


def test_among_many_objects_what_no_name_reaches_is_found_later(gpu: LiveKernel) -> None:
    """To list them all takes too long at the end of a cell: the report looks further."""
    gpu.run(GARBAGE)
    first = gpu.run(FAIL, stop_on_error=False).report
    assert (first["looking"], is_attributed(first)) == (True, False)
    whole = until(gpu, first, lambda report: not report["looking"])
    assert is_attributed(whole)
    assert look_note(whole) is None


def test_a_report_that_looked_no_further_is_completed_on_request(gpu: LiveKernel) -> None:
    """With more objects than are listed unasked it says so; *What refers to it?* completes it."""
    gpu.run(GARBAGE)
    gpu.run("import gpu_headroom.concurrency.turns as turns; turns._MOST_BLOCKS = 0")
    first = gpu.run(FAIL, stop_on_error=False).report
    partial = until(gpu, first, lambda report: not report["looking"])
    note = look_note(partial)
    assert note is not None
    assert note["id"] == "holders.incomplete"
    gpu.asked("holders", asked=True)
    whole = until(gpu, first, is_attributed)
    assert is_attributed(whole)
    assert look_note(whole) is None


# The size of its batch is read from the code.
TRAINS = """
layers = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(16)]).cuda()
batch_size = 2**18
layers(torch.randn(batch_size, 512, device="cuda")).sum().backward()
"""


def test_code_that_there_is_no_time_to_read_is_read_between_cells(gpu: LiveKernel) -> None:
    """What it tells comes then: no cell waits for it."""
    gpu.run("import gpu_headroom.session.failures as hurried; hurried._HOLD_S = 0.0")
    first = gpu.run(TRAINS, stop_on_error=False).report
    assert first["looking"] is True
    assert "smaller-batch" not in {item["id"] for item in first["remedies"]}
    whole = until(gpu, first, lambda item: not item["looking"])
    assert "smaller-batch" in {item["id"] for item in whole["remedies"]}
    assert look_note(whole) is None
